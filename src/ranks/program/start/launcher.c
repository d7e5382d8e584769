// launcher.c - the process that runs a program's ranks: it loads the library of ranks, which loads the program.
//
// It defines pthread_create for the whole process, so that threads belong to the ranks that start them.
// The library is loaded out of sight of the program's libraries, so names of both may be equal. It is found from the
// launcher's own place: a search path of the launcher would not be that of dlopen under AddressSanitizer.
// Arguments   those of the program. STRETTO_RANKS_PROGRAM has its path; it stays in the environment, so that a rank
//             which executes /proc/self/exe starts the program again.
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "own_file.h"

typedef int (*creator)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
static int (*create_thread_of_rank)(creator, pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

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

// The definition of the process: libraries call it, too, std::thread's and OpenMP's among them.
__attribute__((visibility("default"))) int pthread_create(pthread_t* made, const pthread_attr_t* attributes,
                                                          void* (*start)(void*), void* argument) {
  static creator create;
  if (!create) create = (creator)dlsym(RTLD_NEXT, "pthread_create");
  if (!create_thread_of_rank) return create(made, attributes, start, argument);
  return create_thread_of_rank(create, made, attributes, start, argument);
}

int main(int argc, char** argv) {
  const char* const program = getenv("STRETTO_RANKS_PROGRAM");
  if (!program) return fputs("error R80: STRETTO_RANKS_PROGRAM is not set: start the program itself\n", stderr), 127;
  const char* const slash = strrchr(program, '/');
  prctl(PR_SET_NAME, slash ? slash + 1 : program, 0, 0, 0);
  void* const library = dlopen(library_path(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "error R80: %s\n", dlerror()), 127;
  int (*const run)(const char*, int, char**) = (int (*)(const char*, int, char**))dlsym(library, "stretto_run_program");
  if (!run) return fprintf(stderr, "error R80: %s\n", dlerror()), 127;
  *(void**)&create_thread_of_rank = dlsym(library, "stretto_create_thread");
  *(void**)&program_of_thread = dlsym(library, "stretto_program_of_thread");
  return run(program, argc, argv);
}
