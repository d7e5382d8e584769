// static_results.c - functions of the C library that keep a position or return a static buffer, with one per rank.
//
// Threads     one at a time, as in the C library.
#include <string.h>
#include <time.h>

#include "replacement.h"

static char* position;
static struct tm broken_down;
static char text[64];

REPLACEMENT char* strtok(char* string, const char* delimiters) { return strtok_r(string, delimiters, &position); }

REPLACEMENT struct tm* localtime(const time_t* at) {
  tzset();
  return localtime_r(at, &broken_down);
}

REPLACEMENT struct tm* gmtime(const time_t* at) { return gmtime_r(at, &broken_down); }
REPLACEMENT char* asctime(const struct tm* at) { return asctime_r(at, text); }
REPLACEMENT char* ctime(const time_t* at) { return asctime(localtime(at)); }
