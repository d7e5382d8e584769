// own_file.c - /proc/self/exe is the program's file for ranks, although the process runs the launcher.
//
// The definitions are those of the process: libraries call them, too, std::filesystem's among them.
// Threads     any.
#include "own_file.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEFINED_FOR_ALL __attribute__((visibility("default")))

const char* (*program_of_thread)(void);

/* The program's file, if a rank asks for that of its process; else null. */
static const char* file_of_rank(const char* path) {
  if (!program_of_thread || !path || strncmp(path, "/proc/", 6) != 0) return NULL;
  char own[32];
  snprintf(own, sizeof own, "/proc/%ld/exe", (long)getpid());
  if (strcmp(path, "/proc/self/exe") != 0 && strcmp(path, "/proc/thread-self/exe") != 0 && strcmp(path, own) != 0)
    return NULL;
  return program_of_thread();
}

DEFINED_FOR_ALL ssize_t readlinkat(int folder, const char* path, char* to, size_t size) {
  const char* const file = file_of_rank(path);
  if (!file) return syscall(SYS_readlinkat, folder, path, to, size);
  const size_t length = strlen(file), given = length < size ? length : size;
  memcpy(to, file, given);
  return (ssize_t)given;
}

DEFINED_FOR_ALL ssize_t readlink(const char* path, char* to, size_t size) {
  return readlinkat(AT_FDCWD, path, to, size);
}

DEFINED_FOR_ALL char* realpath(const char* path, char* to) {
  static char* (*resolve)(const char*, char*);
  if (!resolve) resolve = (char* (*)(const char*, char*))dlsym(RTLD_NEXT, "realpath");
  const char* const file = file_of_rank(path);
  return resolve(file ? file : path, to);
}

/* What programs call that are compiled with checks of the C library. */
DEFINED_FOR_ALL ssize_t __readlink_chk(const char* path, char* to, size_t size, size_t capacity) {
  if (size > capacity) abort();
  return readlink(path, to, size);
}

DEFINED_FOR_ALL ssize_t __readlinkat_chk(int folder, const char* path, char* to, size_t size, size_t capacity) {
  if (size > capacity) abort();
  return readlinkat(folder, path, to, size);
}

DEFINED_FOR_ALL char* __realpath_chk(const char* path, char* to, size_t capacity) {
  if (capacity < PATH_MAX) abort();
  return realpath(path, to);
}
