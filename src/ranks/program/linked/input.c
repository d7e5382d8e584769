// input.c - standard input of a rank: rank 0 reads the process's, the others find its end.
//
// Threads     as in the C library.
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"
#include "replacement.h"

REPLACED_VARIABLE FILE* stdin = NULL;

extern FILE _IO_2_1_stdin_;  // the process's

void stretto_open_input(int has_input) {
  stdin = &_IO_2_1_stdin_;
  if (has_input) return;
  FILE* const empty = fopencookie(NULL, "r", (cookie_io_functions_t){.read = NULL});  // without a function: its end
  if (empty) stdin = empty;
}

// Those that read from the stream without naming it.

REPLACEMENT int getchar(void) { return getc(stdin); }
REPLACEMENT int getchar_unlocked(void) { return getc_unlocked(stdin); }

// The headers give scanf and vscanf the names __isoc99_scanf and __isoc99_vscanf, but in C90.
REPLACEMENT int vscanf(const char* format, va_list arguments) { return vfscanf(stdin, format, arguments); }
REPLACEMENT int scanf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int found = vfscanf(stdin, format, arguments);
  va_end(arguments);
  return found;
}
#define SAME_AS(name) __attribute__((weak, visibility("hidden"), alias(name)))
extern int old_vscanf(const char* format, va_list arguments) __asm__("vscanf") SAME_AS("__isoc99_vscanf");
extern int old_scanf(const char* format, ...) __asm__("scanf") SAME_AS("__isoc99_scanf");
