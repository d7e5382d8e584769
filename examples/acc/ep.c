/* ep.c - the benchmark EP of NAS with MPI and OpenACC: pairs of normally distributed numbers, counted by ranks.
 *
 * This program makes pairs of pseudo-random numbers and transforms those within the unit circle into pairs of normally
 * distributed numbers. It adds up these numbers, and counts the pairs by the greater of both absolute values. A batch
 * of pairs starts at its place in the sequence, so that batches are independent: ranks divide them, and so do the gangs
 * of a region. The program helps readers who have many independent computations and few results.
 *
 * The check: the sums agree with the published ones to 1e-8, and the number of pairs is the published one. The rules
 * and the sums are those of the NAS Parallel Benchmarks (report RNR-94-007 and the programs of version 3), the numbers
 * of pairs those of their later versions.
 *
 *     stretto cc -O2 ep.c -o ep -lm
 *     STRETTO_RANKS=2 ./ep
 *
 * `./ep A` computes class A, with 2^28 pairs. Classes are S, W, A, B, C, D and E. `./ep A times` also prints the
 * seconds.
 *
 * Output
 *   class S: 2^24 pairs, of which 13176389 are within the circle
 *   sums -3247.834652 and -6958.407078
 *   counts 6140517 5865300 1100361 68546 1648 17 0 0 0 0
 *   check passed: sums and pairs are those published
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { log2_of_batch = 10, rings = 10 };

struct problem {
  char name;
  int log2_pairs;
  double x, y, pairs; /* as published */
};

static const struct problem classes[] = {
    {'S', 24, -3.247834652034740e3, -6.958407078382297e3, 13176389},
    {'W', 25, -2.863319731645753e3, -6.320053679109499e3, 26354769},
    {'A', 28, -4.295875165629892e3, -1.580732573678431e4, 210832767},
    {'B', 30, 4.033815542441498e4, -2.660669192809235e4, 843345606},
    {'C', 32, 4.764367927995374e4, -8.084072988043731e4, 3373275903},
    {'D', 36, 1.982481200946593e5, -1.020596636361769e5, 53972171957},
    {'E', 40, -5.319717441530e5, -3.688834557731e5, 863554308186},
};

struct sums {
  double x, y;
  double counts[rings]; /* of pairs, by the greater of both absolute values */
};

/* The sequence is s(i + 1) = 5^13 s(i) modulo 2^46, with s(0) = 271828183. */
#pragma acc routine seq
static uint64_t product(uint64_t a, uint64_t b) { return a * b & ((UINT64_C(1) << 46) - 1); }

/* s(i) in O(log i) steps. */
#pragma acc routine seq
static uint64_t state_at(uint64_t i) {
  uint64_t result = 271828183, factor = 1220703125;
  for (; i > 0; i >>= 1) {
    if (i & 1) result = product(result, factor);
    factor = product(factor, factor);
  }
  return result;
}

/* The next number, between -1 and 1. */
#pragma acc routine seq
static double next(uint64_t* state) {
  *state = product(*state, 1220703125);
  return 2.0 * ((double)*state / (double)(UINT64_C(1) << 46)) - 1.0;
}

static void add_batches(long first, long last, struct sums* to) {
  double x = 0, y = 0;
  double* const counts = to->counts;
#pragma acc parallel loop reduction(+ : x, y) copy(counts[0 : rings])
  for (long batch = first; batch < last; ++batch) {
    uint64_t state = state_at((uint64_t)batch << (log2_of_batch + 1));
    double own[rings];
    for (int i = 0; i < rings; ++i) own[i] = 0;
    for (int i = 0; i < 1 << log2_of_batch; ++i) {
      const double a = next(&state), b = next(&state), square = a * a + b * b;
      if (square <= 1) {
        const double scale = sqrt(-2 * log(square) / square);
        own[(int)fmax(fabs(a * scale), fabs(b * scale))] += 1;
        x += a * scale;
        y += b * scale;
      }
    }
    for (int i = 0; i < rings; ++i) {
#pragma acc atomic update
      counts[i] += own[i];
    }
  }
  to->x += x;
  to->y += y;
}

static int is_near(double found, double expected) { return fabs((found - expected) / expected) <= 1e-8; }

static int is_as_published(const struct sums* found, double pairs, const struct problem* of) {
  return is_near(found->x, of->x) && is_near(found->y, of->y) && pairs == of->pairs;
}

static const struct problem* find_class(const char* name) {
  for (size_t i = 0; i < sizeof classes / sizeof *classes; ++i)
    if (name[0] == classes[i].name && name[1] == 0) return &classes[i];
  return NULL;
}

static void print(const struct sums* all, double pairs, const struct problem* of) {
  printf("class %c: 2^%d pairs, of which %.0f are within the circle\n", of->name, of->log2_pairs, pairs);
  printf("sums %.6f and %.6f\ncounts", all->x, all->y);
  for (int i = 0; i < rings; ++i) printf(" %.0f", all->counts[i]);
  printf("\n");
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct problem* const wanted = find_class(argc > 1 ? argv[1] : "S");
  if (!wanted) {
    if (rank == 0) fprintf(stderr, "usage: ep [S|W|A|B|C|D|E [times]]\n");
    MPI_Finalize();
    return 2;
  }
  struct sums own = {0, 0, {0}}, all;
  const long batches = 1L << (wanted->log2_pairs - log2_of_batch);
  const double start = MPI_Wtime();
  add_batches(batches * rank / ranks, batches * (rank + 1) / ranks, &own);
  MPI_Allreduce(&own, &all, sizeof own / sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  double pairs = 0;
  for (int i = 0; i < rings; ++i) pairs += all.counts[i];
  const int is_right = is_as_published(&all, pairs, wanted);
  if (rank == 0) {
    print(&all, pairs, wanted);
    if (argc > 2 && strcmp(argv[2], "times") == 0) printf("seconds: %.6f\n", seconds);
    printf("check %s: sums and pairs are %sthose published\n", is_right ? "passed" : "failed", is_right ? "" : "not ");
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
