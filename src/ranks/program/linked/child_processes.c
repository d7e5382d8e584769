// child_processes.c - functions that start a process with the environment of the calling rank.
//
// The C library's own give it the environment of the process, in which no rank has changed anything.
// Threads     any.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"
#include "replacement.h"

REPLACEMENT int execv(const char* path, char* const* arguments) { return execve(path, arguments, environ); }
REPLACEMENT int execvp(const char* file, char* const* arguments) { return execvpe(file, arguments, environ); }

static size_t count_of(const char* first, va_list all) {
  size_t count = 0;
  for (const char* one = first; one; one = va_arg(all, const char*)) ++count;
  return count;
}

static void collect(char** to, const char* first, va_list all) {
  *to = (char*)first;
  while (*to) *++to = va_arg(all, char*);
}

// The arguments up to the null as a list, on the caller's stack: the caller may be a child after vfork.
#define COLLECTED(list, first)              \
  va_list counted, all;                     \
  va_start(counted, first);                 \
  char* list[count_of(first, counted) + 1]; \
  va_end(counted);                          \
  va_start(all, first);                     \
  collect(list, first, all);                \
  va_end(all)

REPLACEMENT int execl(const char* path, const char* first, ...) {
  COLLECTED(list, first);
  return execv(path, list);
}

REPLACEMENT int execlp(const char* file, const char* first, ...) {
  COLLECTED(list, first);
  return execvp(file, list);
}

// Starts a shell for the command; `end` becomes its standard input or output, unless that is -1. Returns an errno.
static int start_shell(pid_t* child, const char* command, int end, int standard) {
  char* const arguments[] = {"sh", "-c", (char*)command, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if (end >= 0) posix_spawn_file_actions_adddup2(&actions, end, standard);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int error = posix_spawn(child, "/bin/sh", &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static int end_of(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}

// Unlike the C library's, it does not ignore signals of the terminal meanwhile: other ranks of the process run.
REPLACEMENT int system(const char* command) {
  pid_t child = -1;
  if (!command) return access("/bin/sh", X_OK) == 0;
  fflush(stdout);  // a rank's lines wait in its own memory
  const int error = start_shell(&child, command, -1, -1);
  if (error) return errno = error, -1;
  return end_of(child);
}

struct shell {
  FILE* stream;
  pid_t child;
  struct shell* next;
};
static struct shell* shells;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

REPLACEMENT FILE* popen(const char* command, const char* mode) {
  const int reads = strchr(mode, 'r') != NULL;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return NULL;
  struct shell* const one = malloc(sizeof *one);
  FILE* const stream = one ? fdopen(ends[!reads], reads ? "r" : "w") : NULL;
  const int error = stream ? start_shell(&one->child, command, ends[reads], reads) : errno;
  close(ends[reads]);
  if (error) {
    if (stream) fclose(stream);
    else close(ends[!reads]);
    free(one);
    errno = error;
    return NULL;
  }
  pthread_mutex_lock(&lock);
  one->stream = stream;
  one->next = shells;
  shells = one;
  pthread_mutex_unlock(&lock);
  return stream;
}

REPLACEMENT int pclose(FILE* stream) {
  pthread_mutex_lock(&lock);
  struct shell** at = &shells;
  while (*at && (*at)->stream != stream) at = &(*at)->next;
  struct shell* const found = *at;
  if (found) *at = found->next;
  pthread_mutex_unlock(&lock);
  if (!found) return errno = ECHILD, -1;
  const pid_t child = found->child;
  free(found);
  fclose(stream);
  return end_of(child);
}
