// launcher.c - the process that runs a program's ranks: it loads the library of ranks, which loads the program.
//
// The library is loaded out of sight of the program's libraries, so names of both may be equal.
// Arguments   the program's path, then its arguments, the first of which is the name that it was called by.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

int main(int argc, char** argv) {
  if (argc < 3) return fputs("usage: ranks_launcher PROGRAM NAME [ARGUMENT...]\n", stderr), 2;
  const char* const slash = strrchr(argv[1], '/');
  prctl(PR_SET_NAME, slash ? slash + 1 : argv[1], 0, 0, 0);
  void* const library = dlopen(STRETTO_RANKS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "error R80: %s\n", dlerror()), 127;
  int (*const run)(const char*, int, char**) = (int (*)(const char*, int, char**))dlsym(library, "stretto_run_program");
  if (!run) return fprintf(stderr, "error R80: %s\n", dlerror()), 127;
  return run(argv[1], argc - 2, argv + 2);
}
