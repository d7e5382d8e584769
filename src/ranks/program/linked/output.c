// output.c - standard output and standard error of a rank: each writes whole lines to the process's, so that lines of
// ranks do not mix. A line may have the rank's label in front.
//
// A line waits here until its end is known; so does one that the program flushes, except on a terminal, where it may be
// a question. A write of at most PIPE_BUF bytes to a pipe is not divided; so longer lines may be. The streams outlive
// the rank, since to close them would close the files for all ranks.
// Threads     as in the C library, which locks a stream.
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "replacement.h"

REPLACED_VARIABLE FILE* stdout = NULL;
REPLACED_VARIABLE FILE* stderr = NULL;

extern FILE _IO_2_1_stdout_, _IO_2_1_stderr_;  // the process's

enum { text_size = PIPE_BUF };

struct line_writer {
  int file;
  const char* label;
  size_t used;
  int has_label;  // of the line that waits
  char text[text_size];
};
static struct line_writer* writers[2];

static void write_all(struct line_writer* to) {
  size_t done = 0;
  while (done < to->used) {
    const ssize_t n = write(to->file, to->text + done, to->used - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;  // nobody reads: the text is lost, as with any stream
    done += (size_t)n;
  }
  to->used = 0;
}

static void append(struct line_writer* to, const char* text, size_t size) {
  while (size > 0) {
    const size_t left = text_size - to->used, part = size < left ? size : left;
    memcpy(to->text + to->used, text, part);
    to->used += part, text += part, size -= part;
    if (to->used == text_size) write_all(to);
  }
}

// Writes lines that are complete. Each line, or as many as have capacity, is one write.
static ssize_t write_lines(void* stream, const char* text, size_t size) {
  struct line_writer* const to = stream;
  size_t done = 0;
  while (done < size) {
    const char* const end = memchr(text + done, '\n', size - done);
    const size_t line = end ? (size_t)(end - text) + 1 - done : size - done;
    if (!to->has_label && to->used + line + strlen(to->label) > text_size) write_all(to);
    if (!to->has_label) append(to, to->label, strlen(to->label));
    append(to, text + done, line);
    to->has_label = !end;
    done += line;
  }
  if (!to->has_label || isatty(to->file)) write_all(to);
  return (ssize_t)size;
}

static FILE* open_lines(struct line_writer** kept, int file, const char* label, FILE* otherwise) {
  if (!*kept) *kept = calloc(1, sizeof **kept);
  if (!*kept) return otherwise;
  (*kept)->file = file;
  (*kept)->label = label;
  FILE* const stream = fopencookie(*kept, "w", (cookie_io_functions_t){.write = write_lines});
  if (!stream) return otherwise;
  stream->_fileno = file;  // for fileno
  return stream;
}

void stretto_open_output(const char* label) {
  stdout = open_lines(&writers[0], STDOUT_FILENO, label, &_IO_2_1_stdout_);
  stderr = open_lines(&writers[1], STDERR_FILENO, label, &_IO_2_1_stderr_);
  char* const buffer = malloc(BUFSIZ);
  if (buffer && stdout != &_IO_2_1_stdout_) setvbuf(stdout, buffer, _IOLBF, BUFSIZ);
  if (stderr != &_IO_2_1_stderr_) setvbuf(stderr, NULL, _IONBF, 0);
}

void stretto_write_last_lines(int is_error_next) {
  for (int i = 0; i < 2; ++i) {
    struct line_writer* const to = writers[i];
    if (!to) continue;
    if (is_error_next && to->has_label && to->file == STDERR_FILENO) append(to, "\n", 1);
    write_all(to);
    to->has_label = 0;
  }
}

// Those that write to the streams without naming them.

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

REPLACEMENT void perror(const char* text) {
  const char* const reason = strerror(errno);
  fprintf(stderr, "%s%s%s\n", text && *text ? text : "", text && *text ? ": " : "", reason);
}

// std::cout and std::cerr write to the rank's streams (src/ranks/process/rank_output.hpp); unsynchronized, they would
// write to the process's.
REPLACEMENT _Bool _ZNSt8ios_base15sync_with_stdioEb(_Bool) __attribute__((const));
REPLACEMENT _Bool _ZNSt8ios_base15sync_with_stdioEb(_Bool wanted) {
  (void)wanted;
  return 1;
}
