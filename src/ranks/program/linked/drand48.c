// drand48.c - drand48 and its relatives with a sequence per rank: the C library's own generators, in our state.
//
// Threads     one at a time, as in the C library.
#include <stdlib.h>

#include "replacement.h"

static struct drand48_data data;

REPLACEMENT double erand48(unsigned short x[3]) {
  double value = 0;
  erand48_r(x, &data, &value);
  return value;
}

REPLACEMENT double drand48(void) {
  double value = 0;
  drand48_r(&data, &value);
  return value;
}

REPLACEMENT long nrand48(unsigned short x[3]) {
  long value = 0;
  nrand48_r(x, &data, &value);
  return value;
}

REPLACEMENT long lrand48(void) {
  long value = 0;
  lrand48_r(&data, &value);
  return value;
}

REPLACEMENT long jrand48(unsigned short x[3]) {
  long value = 0;
  jrand48_r(x, &data, &value);
  return value;
}

REPLACEMENT long mrand48(void) {
  long value = 0;
  mrand48_r(&data, &value);
  return value;
}

REPLACEMENT void srand48(long seed) { srand48_r(seed, &data); }

REPLACEMENT unsigned short* seed48(unsigned short seed[3]) {
  seed48_r(seed, &data);
  return data.__old_x;
}

REPLACEMENT void lcong48(unsigned short parameters[7]) { lcong48_r(parameters, &data); }
