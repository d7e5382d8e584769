// counted.c - a library of the program's own, with a variable, and with functions that the C library keeps state for.
#include <stdlib.h>

static int calls;

int next_call(void) { return ++calls; }
int next_random(void) { return rand(); }
