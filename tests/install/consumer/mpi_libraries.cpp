// Whether Stretto's libraries for MPI, which are loaded when a job has several nodes, are found from a program of a
// user: each argument is one.
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) std::printf("%s\n", dlopen(argv[i], RTLD_NOW | RTLD_LOCAL) ? "found" : dlerror());
}
