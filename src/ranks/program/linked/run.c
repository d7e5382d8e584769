// run.c - one run of the program: constructors, main, handlers of exit, destructors; and every way to end it early.
//
// Threads     the rank's thread runs; other threads of the program may register handlers, and end the process.
// Invariants  (1) handlers run in reverse order of registration, thread-local objects first, as at the end of a
// process.
//             (2) each handler and destructor runs at most once, although one may call exit.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"
#include "replacement.h"

struct handler {
  enum { plain, with_argument, with_code } kind;
  void (*function)(void);
  void* argument;
};

struct handler_list {
  struct handler* all;
  size_t count, capacity;
};

static struct stretto_run* run;
static jmp_buf frame;
static pid_t process;  // that of the ranks: a child that a rank has forked ends by itself
static struct handler_list exit_handlers, quick_exit_handlers, thread_handlers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t destructors_done;

static int add(struct handler_list* list, struct handler one) {
  pthread_mutex_lock(&lock);
  int failed = 0;
  if (list->count == list->capacity) {
    const size_t capacity = 2 * list->capacity + 16;
    struct handler* const larger = realloc(list->all, capacity * sizeof *larger);
    if (larger) list->all = larger, list->capacity = capacity;
    else failed = -1;
  }
  if (!failed) list->all[list->count++] = one;
  pthread_mutex_unlock(&lock);
  return failed;
}

static void call_all(struct handler_list* list, int code) {
  while (list->count > 0) {
    const struct handler one = list->all[--list->count];
    switch (one.kind) {
      case plain: one.function(); break;
      case with_argument: ((void (*)(void*))one.function)(one.argument); break;
      case with_code: ((void (*)(int, void*))one.function)(code, one.argument); break;
    }
  }
  free(list->all);
  *list = (struct handler_list){0};
}

static void finish(int code) {
  call_all(&thread_handlers, code);
  call_all(&exit_handlers, code);
  while (destructors_done < run->destructor_count) run->destructors[destructors_done++]();
  fflush(NULL);
}

static void run_main(void) {
  for (size_t i = 0; i < run->constructor_count; ++i) run->constructors[i](run->argc, run->argv, run->environment);
  extern int main(int, char**, char**) __attribute__((weak));
  const int code = main(run->argc, run->argv, run->environment);
  run->how = stretto_returned;
  run->code = code;
  finish(code);
}

void stretto_run_program(struct stretto_run* one) {
  // Here the stack of the program ends: an exception that nothing catches is found to be so before anything is unwound.
#ifdef __x86_64__
  __asm__ volatile(".cfi_undefined rip");
#elif defined __aarch64__
  __asm__ volatile(".cfi_undefined x30");
#endif
  run = one;
  process = getpid();
  stretto_set_environment(one->environment);
  stretto_open_output(one->label);
  stretto_open_input(one->has_input);
  if (_setjmp(frame) == 0) run_main();
  run->code &= 0xff;
  stretto_write_last_lines(run->how == stretto_called_abort);
  if (getpid() != process) syscall(SYS_exit_group, run->code);
  stretto_release_environment();
}

void stretto_end_run(enum stretto_end how, int code) {
  if (!run || !run->is_rank(run->context)) {
    if (run) run->end_process(run->context, how, code);
    syscall(SYS_exit_group, code);
    __builtin_unreachable();
  }
  if (run->how != stretto_returned) run->how = how;
  run->code = code;
  if (how == stretto_called_exit) finish(code);
  _longjmp(frame, 1);
}

void stretto_report_chdir(void) {
  if (run) run->report_chdir(run->context);
}

REPLACEMENT __attribute__((noreturn)) void exit(int code) { stretto_end_run(stretto_called_exit, code); }
REPLACEMENT __attribute__((noreturn)) void _exit(int code) { stretto_end_run(stretto_called__exit, code); }
REPLACEMENT __attribute__((noreturn)) void _Exit(int code) { stretto_end_run(stretto_called__exit, code); }

REPLACEMENT __attribute__((noreturn)) void quick_exit(int code) {
  call_all(&quick_exit_handlers, code);
  stretto_end_run(stretto_called__exit, code);
}

REPLACEMENT __attribute__((noreturn)) void abort(void) {
  struct sigaction action;
  const int is_known = sigaction(SIGABRT, NULL, &action) == 0;
  if (is_known && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN &&
      (!run || (void*)action.sa_handler != run->crash_handler))
    raise(SIGABRT);
  stretto_end_run(stretto_called_abort, 128 + SIGABRT);
}

REPLACEMENT __attribute__((noreturn)) void __assert_fail(const char* text, const char* file, unsigned line,
                                                         const char* function) {
  fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", run ? run->argv[0] : "", file, line,
          function ? function : "", text);
  abort();
}

REPLACEMENT int atexit(void (*function)(void)) { return add(&exit_handlers, (struct handler){plain, function, NULL}); }

REPLACEMENT int at_quick_exit(void (*function)(void)) {
  return add(&quick_exit_handlers, (struct handler){plain, function, NULL});
}

REPLACEMENT int on_exit(void (*function)(int, void*), void* argument) {
  return add(&exit_handlers, (struct handler){with_code, (void (*)(void))function, argument});
}

/// A destructor of a global or static object.
REPLACEMENT int __cxa_atexit(void (*function)(void*), void* argument, void* object) {
  (void)object;
  return add(&exit_handlers, (struct handler){with_argument, (void (*)(void))function, argument});
}

/// A destructor of a thread-local object. Those of other threads of the rank run when these end, as ever.
REPLACEMENT int __cxa_thread_atexit(void (*function)(void*), void* argument, void* object) {
  extern int __cxa_thread_atexit_impl(void (*)(void*), void*, void*);
  if (!run || !run->is_rank(run->context)) return __cxa_thread_atexit_impl(function, argument, object);
  return add(&thread_handlers, (struct handler){with_argument, (void (*)(void))function, argument});
}
