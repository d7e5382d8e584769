// random.c - rand, random and their relatives with a sequence per rank: the C library's own generators, in our state.
//
// Threads     any, as in the C library: a lock orders the threads of a rank.
#include <pthread.h>
#include <stdlib.h>

#include "replacement.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char table[128];
static struct random_data data;

static void prepare(void) {
  if (!data.state) initstate_r(1, table, sizeof table, &data);
}

static char* state_text(void) { return (char*)(data.state - 1); }

REPLACEMENT long random(void) {
  int32_t value = 0;
  pthread_mutex_lock(&lock);
  prepare();
  random_r(&data, &value);
  pthread_mutex_unlock(&lock);
  return value;
}

REPLACEMENT void srandom(unsigned seed) {
  pthread_mutex_lock(&lock);
  prepare();
  srandom_r(seed, &data);
  pthread_mutex_unlock(&lock);
}

REPLACEMENT char* initstate(unsigned seed, char* state, size_t size) {
  pthread_mutex_lock(&lock);
  prepare();
  char* const before = state_text();
  const int failed = initstate_r(seed, state, size, &data);
  pthread_mutex_unlock(&lock);
  return failed ? NULL : before;
}

REPLACEMENT char* setstate(char* state) {
  pthread_mutex_lock(&lock);
  prepare();
  char* const before = state_text();
  const int failed = setstate_r(state, &data);
  pthread_mutex_unlock(&lock);
  return failed ? NULL : before;
}

REPLACEMENT int rand(void) { return (int)random(); }
REPLACEMENT void srand(unsigned seed) { srandom(seed); }
