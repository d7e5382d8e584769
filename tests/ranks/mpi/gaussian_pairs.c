// gaussian_pairs.c - the benchmark EP of NAS, class S: ranks make 2^24 pairs of pseudo-random numbers and those that
// are normally distributed of them. The sums are published with the benchmark (NAS Parallel Benchmarks, report
// RNR-94-007).
#include <math.h>
#include <stdint.h>

#include "check.h"

enum { pairs_of_block = 1 << 16, blocks = 1 << 8, rings = 10 };

static const uint64_t modulus_mask = (UINT64_C(1) << 46) - 1, factor = 1220703125, seed = 271828183;

static uint64_t product(uint64_t a, uint64_t b) { return (a * b) & modulus_mask; }

static uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, base = product(base, base))
    if (exponent & 1) result = product(result, base);
  return result;
}

// Between -1 and 1.
static double next(uint64_t* state) {
  *state = product(*state, factor);
  return ldexp((double)*state, -45) - 1;
}

struct sums {
  double x, y;
  double counts[rings];  // of pairs, by the greater of both absolute values
};

static void add_block(int number, struct sums* to) {
  uint64_t state = product(seed, power(factor, 2 * (uint64_t)pairs_of_block * (uint64_t)number));
  for (int i = 0; i < pairs_of_block; ++i) {
    const double a = next(&state), b = next(&state), square = a * a + b * b;
    if (square > 1) continue;
    const double scale = sqrt(-2 * log(square) / square), x = a * scale, y = b * scale;
    ++to->counts[(int)fmax(fabs(x), fabs(y))];
    to->x += x;
    to->y += y;
  }
}

static int is_near(double found, double expected) { return fabs((found - expected) / expected) < 1e-8; }

int main(void) {
  struct sums own = {0}, all;
  int rank, size;
  double count = 0;
  begin_checks();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int block = rank; block < blocks; block += size) add_block(block, &own);
  MPI_Allreduce(&own, &all, sizeof own / sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(is_near(all.x, -3.247834652034740e+3));
  CHECK(is_near(all.y, -6.958407078382297e+3));
  for (int i = 0; i < rings; ++i) count += all.counts[i];
  CHECK_EQUAL(count, 13176389);
  return end_checks();
}
