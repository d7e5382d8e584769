// working_directory.c - chdir and fchdir, which fail: the ranks of a process share its working directory.
//
// Threads     any.
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"
#include "replacement.h"

static int refuse(const struct stat* wanted) {
  struct stat current;
  if (stat(".", &current) == 0 && current.st_dev == wanted->st_dev && current.st_ino == wanted->st_ino) return 0;
  stretto_report_chdir();
  errno = ENOTSUP;
  return -1;
}

REPLACEMENT int chdir(const char* path) {
  struct stat wanted;
  return stat(path, &wanted) == 0 ? refuse(&wanted) : -1;
}

REPLACEMENT int fchdir(int directory) {
  struct stat wanted;
  return fstat(directory, &wanted) == 0 ? refuse(&wanted) : -1;
}
