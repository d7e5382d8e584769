// twice.c - a library that needs another one, and a function of the program.
#include <stdlib.h>

int next_call(void);
void callback(void);
static int calls;

__attribute__((constructor)) static void construct(void) { calls = 10; }
static void at_end(void) { abort(); }

int twice_counted(void) {
  callback();
  next_call();
  if (calls++ != 10) atexit(at_end);
  return next_call();
}
