// c_program.h - the benchmarks of a program in C: options, repetitions, one JSON line. It is measure.hpp for C.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct benchmark {
  const char *name, *unit, *better;
  long size;                 // by default
  double (*run)(long size);  // the figure of one repetition
};

static inline double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void expect(const char* what, int is_right) {
  if (is_right) return;
  fprintf(stderr, "wrong answer: %s\n", what);
  exit(1);
}

static inline double* array_of(long count) {
  double* const memory = aligned_alloc(4096, ((size_t)count * sizeof(double) + 4095) / 4096 * 4096);
  expect("no memory", memory != NULL);
  return memory;
}

static inline const char* option_of(int argc, char** argv, const char* name, const char* otherwise) {
  for (int i = 1; i + 1 < argc; ++i)
    if (strcmp(argv[i], name) == 0) return argv[i + 1];
  return otherwise;
}

static inline int compare_numbers(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/// Runs the benchmark that the options name, once to warm up. Each of several processes calls this; one of them prints.
static inline int run_benchmark(const struct benchmark* all, size_t count, int argc, char** argv, int prints) {
  enum { most_reps = 64 };
  double values[most_reps];
  const char* const name = option_of(argc, argv, "--bench", "");
  for (size_t i = 0; i < count; ++i) {
    const struct benchmark* const one = &all[i];
    if (strcmp(one->name, name) != 0) continue;
    const long asked = atol(option_of(argc, argv, "--size", "0")), size = asked > 0 ? asked : one->size;
    int reps = atoi(option_of(argc, argv, "--reps", "5"));
    reps = reps < 1 ? 1 : reps > most_reps ? most_reps : reps;
    one->run(size);
    for (int n = 0; n < reps; ++n) values[n] = one->run(size);
    qsort(values, (size_t)reps, sizeof *values, compare_numbers);
    if (prints)
      printf("{\"bench\":\"%s\",\"size\":%ld,\"unit\":\"%s\",\"better\":\"%s\",\"value\":%.6g}\n", name, size,
             one->unit, one->better, values[reps / 2]);
    return 0;
  }
  if (prints) fprintf(stderr, "there is no benchmark \"%s\"\n", name);
  return 2;
}
