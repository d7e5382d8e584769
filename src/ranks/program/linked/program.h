// program.h - the interface between a program that `stretto cc` made and its loader. C, for both sides.
//
// Threads     see each member. A copy of the program has one `stretto_program`, with state of its own.
#pragma once

#include <stddef.h>
#include <stdio.h>

enum { stretto_program_version = 3 };

/// How a run of `main` ended.
enum stretto_end {
  stretto_not_ended,
  stretto_returned,      // main returned
  stretto_called_exit,   // exit: handlers and destructors have run
  stretto_called__exit,  // _exit, _Exit, quick_exit: destructors have not run
  stretto_called_abort   // abort, a failed assertion, an uncaught exception
};

typedef void (*stretto_constructor)(int, char**, char**);
typedef void (*stretto_destructor)(void);

/// One run of a program: arguments from the loader, and the end.
struct stretto_run {
  int argc;
  char** argv;
  char** environment;                       // ends with null; the strings outlive the run, and are not changed
  const char* label;                        // in front of each line of output; may be empty
  int has_input;                            // reads the process's standard input; else its own is empty
  const stretto_constructor* constructors;  // of all private objects, in order
  size_t constructor_count;
  const stretto_destructor* destructors;  // of all private objects, in order
  size_t destructor_count;
  /// Whether the calling thread is the one that runs this rank's main. Any thread.
  int (*is_rank)(void* context);
  /// The end of the process, where another thread of the rank calls exit. Does not return. Any thread.
  void (*end_process)(void* context, enum stretto_end how, int code);
  /// Reports that the working directory was not changed. Any thread.
  void (*report_chdir)(void* context);
  void* context;
  void* crash_handler;   // of signals, the loader's: abort does not call it
  enum stretto_end how;  // set by run()
  int code;              // set by run(): what main returned, or the argument of exit
};

/// A definition of the program that replaces one of the C library, in the program's own libraries too.
struct stretto_replacement {
  const char* name;
  void* address;
};

/// A copy of a program exports this under the name `stretto_program`.
struct stretto_program {
  unsigned version;
  int (*main)(int, char**, char**);
  void (*run)(struct stretto_run*);                // constructors, main, handlers, destructors, on the caller's stack
  void (*end)(enum stretto_end, int);              // ends the run from within it; does not return
  const struct stretto_replacement* replacements;  // ends with a null name
  FILE** output;                                   // the rank's standard output, while it runs
  FILE** error;                                    // its standard error
  void (*write_last_lines)(int is_error_next);     // writes lines of its output that have no end yet
  const char* start_path;                          // of the file that the kernel starts in the program's place
};
