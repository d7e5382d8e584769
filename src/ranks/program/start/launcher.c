// launcher.c - the process that runs a program's ranks: it loads the library of ranks, which loads the program.
//
// It defines pthread_create for the whole process, so that threads belong to the ranks that start them.
// The library is loaded out of sight of the program's libraries, so names of both may be equal. It is found from the
// launcher's own place: a search path of the launcher would not be that of dlopen under AddressSanitizer.
// Arguments   the program's path, then its arguments, the first of which is the name that it was called by.
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The path of the library, in the folder above that of the launcher. */
static const char* library_path(void) {
  static char path[PATH_MAX + sizeof("/" STRETTO_RANKS_LIBRARY)];
  const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
  path[length < 0 ? 0 : length] = 0;
  for (int i = 0; i < 2; ++i) {
    char* const slash = strrchr(path, '/');
    if (slash) *slash = 0;
  }
  strcat(path, "/" STRETTO_RANKS_LIBRARY);
  return path;
}

typedef int (*creator)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
static int (*create_thread_of_rank)(creator, pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

// The definition of the process: libraries call it, too, std::thread's and OpenMP's among them.
__attribute__((visibility("default"))) int pthread_create(pthread_t* made, const pthread_attr_t* attributes,
                                                          void* (*start)(void*), void* argument) {
  static creator create;
  if (!create) create = (creator)dlsym(RTLD_NEXT, "pthread_create");
  if (!create_thread_of_rank) return create(made, attributes, start, argument);
  return create_thread_of_rank(create, made, attributes, start, argument);
}

int main(int argc, char** argv) {
  if (argc < 3) return fputs("usage: ranks_launcher PROGRAM NAME [ARGUMENT...]\n", stderr), 2;
  const char* const slash = strrchr(argv[1], '/');
  prctl(PR_SET_NAME, slash ? slash + 1 : argv[1], 0, 0, 0);
  void* const library = dlopen(library_path(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "error R80: %s\n", dlerror()), 127;
  int (*const run)(const char*, int, char**) = (int (*)(const char*, int, char**))dlsym(library, "stretto_run_program");
  if (!run) return fprintf(stderr, "error R80: %s\n", dlerror()), 127;
  *(void**)&create_thread_of_rank = dlsym(library, "stretto_create_thread");
  return run(argv[1], argc - 2, argv + 2);
}
