// kernels.c - loops with directives, the same source for OpenACC by `stretto cc` and for OpenMP by other compilers.
//
// Arrays are on the device ahead of the clock. Each benchmark checks its answer.
#include <math.h>
#include <stdint.h>

#include "c_program.h"
#include "pair_generator.h"

#ifdef _OPENMP
#define ON_ALL_CORES(openacc, openmp) _Pragma(openmp)
#else
#define ON_ALL_CORES(openacc, openmp) _Pragma(openacc)
#endif

static void sweep(double* restrict to, const double* restrict from, long n) {
  ON_ALL_CORES("acc parallel loop present(to[0 : n * n], from[0 : n * n])", "omp parallel for")
  for (long i = 1; i < n - 1; ++i)
    for (long j = 1; j < n - 1; ++j)
      to[i * n + j] =
          0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1]);
}

/// Milliseconds for one sweep.
static double stencil(long n) {
  enum { pairs = 20 };
  double *const a = array_of(n * n), *const b = array_of(n * n);
  for (long i = 0; i < n * n; ++i) a[i] = b[i] = 1;
  double seconds = 0;
#pragma acc data copy(a[0 : n * n], b[0 : n * n])
  {
    sweep(b, a, n);
    const double start = seconds_now();
    for (int k = 0; k < pairs; ++k) {
      sweep(a, b, n);
      sweep(b, a, n);
    }
    seconds = seconds_now() - start;
  }
  expect("a plate of one temperature", b[n + 1] == 1 && b[n * n / 2] == 1);
  free(a), free(b);
  return 1e3 * seconds / (2 * pairs);
}

/// Milliseconds.
static double product(long n) {
  double *const a = array_of(n * n), *const b = array_of(n * n), *const c = array_of(n * n);
  for (long i = 0; i < n * n; ++i) a[i] = 0.5, b[i] = 2;
  double seconds = 0;
#pragma acc data copyin(a[0 : n * n], b[0 : n * n]) copyout(c[0 : n * n])
  {
    const double start = seconds_now();
    ON_ALL_CORES("acc parallel loop present(a[0 : n * n], b[0 : n * n], c[0 : n * n])", "omp parallel for")
    for (long i = 0; i < n; ++i) {
      for (long j = 0; j < n; ++j) c[i * n + j] = 0;
      for (long k = 0; k < n; ++k)
        for (long j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
    seconds = seconds_now() - start;
  }
  expect("an element of the product", c[0] == (double)n && c[n * n - 1] == (double)n);
  free(a), free(b), free(c);
  return 1e3 * seconds;
}

/// Milliseconds for one sum.
static double sum(long n) {
  enum { turns = 20 };
  double* const a = array_of(n);
  for (long i = 0; i < n; ++i) a[i] = 0.5;
  double total = 0, seconds = 0;
#pragma acc data copyin(a[0 : n])
  {
    const double start = seconds_now();
    for (int k = 0; k < turns; ++k) {
      double found = 0;
      ON_ALL_CORES("acc parallel loop present(a[0 : n]) reduction(+ : found)", "omp parallel for reduction(+ : found)")
      for (long i = 0; i < n; ++i) found += a[i];
      total += found;
    }
    seconds = seconds_now() - start;
  }
  expect("the sum", total == 0.5 * turns * (double)n);
  free(a);
  return 1e3 * seconds / turns;
}

/// Milliseconds for pairs of random numbers, as in the benchmark EP of NAS.
static double random_pairs(long log2_of_pairs) {
  const long batches = 1L << (log2_of_pairs - log2_of_batch);
  double x = 0, y = 0;
  const double start = seconds_now();
  ON_ALL_CORES("acc parallel loop reduction(+ : x, y)", "omp parallel for reduction(+ : x, y)")
  for (long batch = 0; batch < batches; ++batch) {
    uint64_t state = state_at((uint64_t)batch << (log2_of_batch + 1));
    for (int i = 0; i < 1 << log2_of_batch; ++i) {
      const double a = next_number(&state), b = next_number(&state), square = a * a + b * b;
      if (square <= 1) {
        const double scale = sqrt(-2 * log(square) / square);
        x += a * scale;
        y += b * scale;
      }
    }
  }
  const double seconds = seconds_now() - start;
  if (log2_of_pairs == 24) expect("the sums", fabs(x + 3247.834652034740) < 1e-6 && fabs(y + 6958.407078382297) < 1e-6);
  return 1e3 * seconds;
}

/// Milliseconds for additions to counters that all gangs share.
static double histogram(long n) {
  enum { buckets = 64, turns = 5 };
  long counts[buckets] = {0};
  double seconds = 0;
#pragma acc data copy(counts)
  {
    const double start = seconds_now();
    for (int k = 0; k < turns; ++k) {
      ON_ALL_CORES("acc parallel loop present(counts)", "omp parallel for")
      for (long i = 0; i < n; ++i) {
        const long bucket = i * 2654435761 >> 8 & (buckets - 1);
        ON_ALL_CORES("acc atomic update", "omp atomic update")
        counts[bucket] += 1;
      }
    }
    seconds = seconds_now() - start;
  }
  long total = 0;
  for (int i = 0; i < buckets; ++i) total += counts[i];
  expect("the number of additions", total == turns * n);
  return 1e3 * seconds / turns;
}

/// Microseconds from the start of a kernel with four arguments to its end.
static double launch(long n) {
  enum { turns = 2000, values = 16 };
  double a[values], b[values], c[values];
  for (int i = 0; i < values; ++i) a[i] = b[i] = c[i] = 1;
  double seconds = 0;
#pragma acc data copy(a, b, c)
  for (int k = -turns / 10; k < turns; ++k) {
    if (k == 0) seconds = seconds_now();
    ON_ALL_CORES("acc parallel loop present(a, b, c)", "omp parallel for")
    for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
  }
  seconds = seconds_now() - seconds;
  expect("elements", c[0] == 2 && c[n - 1] == 2);
  return 1e6 * seconds / turns;
}

static const struct benchmark benchmarks[] = {{"acc_stencil", "ms", "lower", 1024, stencil},
                                              {"acc_product", "ms", "lower", 512, product},
                                              {"acc_sum", "ms", "lower", 1 << 22, sum},
                                              {"acc_pairs", "ms", "lower", 24, random_pairs},
                                              {"acc_histogram", "ms", "lower", 1 << 18, histogram},
                                              {"acc_launch", "us", "lower", 16, launch}};

int main(int argc, char** argv) {
  return run_benchmark(benchmarks, sizeof benchmarks / sizeof *benchmarks, argc, argv, 1);
}
