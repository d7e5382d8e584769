// output.c - a standard output per rank: each writes whole lines to the process's, so that lines of ranks do not mix.
//
// A write of at most PIPE_BUF bytes to a pipe is not divided; so longer lines than the buffer may be. The stream
// outlives the rank, since to close it would close the file for all ranks. Threads     as in the C library.
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"
#include "replacement.h"

REPLACED_VARIABLE FILE* stdout = NULL;

extern FILE _IO_2_1_stdout_;  // the process's

void stretto_open_output(void) {
  char* const buffer = malloc(PIPE_BUF);
  stdout = buffer ? fdopen(STDOUT_FILENO, "w") : NULL;
  if (stdout) setvbuf(stdout, buffer, _IOLBF, PIPE_BUF);
  else free(buffer), stdout = &_IO_2_1_stdout_;
}

// Those that write to the stream without naming it.

REPLACEMENT int vprintf(const char* format, va_list arguments) { return vfprintf(stdout, format, arguments); }

REPLACEMENT int printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int written = vfprintf(stdout, format, arguments);
  va_end(arguments);
  return written;
}

REPLACEMENT int __vprintf_chk(int flag, const char* format, va_list arguments) {
  extern int __vfprintf_chk(FILE*, int, const char*, va_list);
  return __vfprintf_chk(stdout, flag, format, arguments);
}

REPLACEMENT int __printf_chk(int flag, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int written = __vprintf_chk(flag, format, arguments);
  va_end(arguments);
  return written;
}

REPLACEMENT int puts(const char* text) {
  flockfile(stdout);
  const int failed = fputs_unlocked(text, stdout) < 0 || putc_unlocked('\n', stdout) == EOF;
  funlockfile(stdout);
  return failed ? EOF : 1;
}

REPLACEMENT int putchar(int one) { return putc(one, stdout); }
REPLACEMENT int putchar_unlocked(int one) { return putc_unlocked(one, stdout); }

// std::cout writes to the rank's stream (src/ranks/process/rank_output.hpp); unsynchronized, it would write to the
// process's.
REPLACEMENT _Bool _ZNSt8ios_base15sync_with_stdioEb(_Bool) __attribute__((const));
REPLACEMENT _Bool _ZNSt8ios_base15sync_with_stdioEb(_Bool wanted) {
  (void)wanted;
  return 1;
}
