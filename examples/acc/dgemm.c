/* dgemm.c - a product of matrices with MPI and OpenACC: the rows of the result are divided among ranks.
 *
 * This program computes C = A B, where A, B and C are n x n matrices of doubles. Rank 0 has A and B. It scatters the
 * rows of A, broadcasts B and gathers the rows of C. Each rank multiplies its rows in a region. The program helps
 * readers whose ranks receive arrays, move them to a device, and send results back. No rank changes A or B: with
 * `acc mpi` the ranks of a node share them.
 *
 * The check: rank 0 compares C x with A (B x) for a random vector x. All elements are multiples of 1/8 between -1 and
 * 1, so that no sum is rounded, and both vectors are equal.
 *
 *     stretto cc -O2 dgemm.c -o dgemm
 *     STRETTO_RANKS=2 ./dgemm
 *
 * `./dgemm 1000` multiplies matrices of 1000 x 1000. `./dgemm 1000 times` also prints the seconds of the slowest rank
 * in messages, in copies between host and device, and in the region.
 *
 * Output
 *   the product of two matrices of 240 x 240, with trace 282.4531
 *   check passed: C x is A (B x)
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { in_messages, in_copies, in_regions, in_inputs, parts_of_time }; /* inputs: the first messages */

static int rank, ranks;
static double seconds[parts_of_time];
static double* factor; /* B, on all ranks */

static void add_time(int part, double* since) {
  const double now = MPI_Wtime();
  seconds[part] += now - *since;
  *since = now;
}

static double* array_of(long count) {
  double* const result = malloc((size_t)count * sizeof *result);
  if (!result) MPI_Abort(MPI_COMM_WORLD, 2);
  return result;
}

static double* random_array(long count, uint32_t seed) {
  double* const result = array_of(count);
  uint32_t state = seed;
  for (long i = 0; i < count; ++i) {
    state = state * UINT32_C(1664525) + UINT32_C(1013904223);
    result[i] = ((int)(state >> 28) - 8) / 8.0;
  }
  return result;
}

/* C = A B for some rows of A and C. */
static void multiply(const double* a, const double* b, double* c, long rows, long n) {
#pragma acc parallel loop collapse(2) present(a[0 : rows * n], b[0 : n * n], c[0 : rows * n])
  for (long row = 0; row < rows; ++row)
    for (long column = 0; column < n; ++column) {
      double sum = 0;
#pragma acc loop seq
      for (long k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
      c[row * n + column] = sum;
    }
}

static void multiply_on_device(const double* a, const double* b, double* c, long rows, long n, double* since) {
#pragma acc enter data copyin(a[0 : rows * n], b[0 : n * n]) create(c[0 : rows * n])
  add_time(in_copies, since);
  multiply(a, b, c, rows, n);
  add_time(in_regions, since);
#pragma acc exit data copyout(c[0 : rows * n]) delete (a[0 : rows * n], b[0 : n * n])
  add_time(in_copies, since);
}

/* The product on rank 0; `all_a` and `all_c` are null on other ranks. */
static void multiply_on_ranks(const double* all_a, double* all_c, int n) {
  int *const counts = malloc((size_t)ranks * sizeof(int)), *const starts = malloc((size_t)ranks * sizeof(int));
  for (int i = 0; i < ranks; ++i) {
    starts[i] = (int)((long)n * i / ranks);
    counts[i] = (int)((long)n * (i + 1) / ranks) - starts[i];
  }
  const int rows = counts[rank];
  double *a = array_of((long)rows * n), *const c = array_of((long)rows * n);
  MPI_Datatype row;
  MPI_Type_contiguous(n, MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  MPI_Barrier(MPI_COMM_WORLD);
  double since = MPI_Wtime();
#pragma acc mpi sendbuf(readonly) recvbuf(readonly)
  MPI_Scatterv(all_a, counts, starts, row, a, rows, row, 0, MPI_COMM_WORLD);
#pragma acc mpi sendbuf(readonly) recvbuf(readonly)
  MPI_Bcast(factor, n, row, 0, MPI_COMM_WORLD);
  add_time(in_messages, &since);
  seconds[in_inputs] = seconds[in_messages];
  multiply_on_device(a, factor, c, rows, n, &since);
  MPI_Gatherv(c, rows, row, all_c, counts, starts, row, 0, MPI_COMM_WORLD);
  add_time(in_messages, &since);
  MPI_Type_free(&row);
  free(a);
  free(c);
  free(counts);
  free(starts);
}

/* The product of a matrix and a vector, on the host. */
static double* times_vector(const double* matrix, const double* vector, int n) {
  double* const result = array_of(n);
  for (long row = 0; row < n; ++row) {
    result[row] = 0;
    for (long column = 0; column < n; ++column) result[row] += matrix[row * n + column] * vector[column];
  }
  return result;
}

static int is_product(const double* a, const double* b, const double* c, int n) {
  double *const x = random_array(n, 3), *const b_x = times_vector(b, x, n);
  double *const a_b_x = times_vector(a, b_x, n), *const c_x = times_vector(c, x, n);
  const int is_equal = memcmp(a_b_x, c_x, (size_t)n * sizeof *c_x) == 0;
  free(x);
  free(b_x);
  free(a_b_x);
  free(c_x);
  return is_equal;
}

static void print_times(void) {
  double most[parts_of_time];
  MPI_Reduce(seconds, most, parts_of_time, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("seconds: %.6f in messages, %.6f in copies, %.6f in regions; inputs came in %.6f\n", most[in_messages],
           most[in_copies], most[in_regions], most[in_inputs]);
}

/* Whether the product is right, on rank 0; other ranks return 1. */
static int run(int n) {
  const long count = (long)n * n;
  double* const a = rank == 0 ? random_array(count, 1) : NULL;
  factor = rank == 0 ? random_array(count, 2) : array_of(count);
  double* const c = rank == 0 ? array_of(count) : NULL;
  multiply_on_ranks(a, c, n);
  int is_right = 1;
  if (rank == 0) {
    double trace = 0;
    for (long i = 0; i < n; ++i) trace += c[i * n + i];
    printf("the product of two matrices of %d x %d, with trace %.4f\n", n, n, trace);
    is_right = is_product(a, factor, c, n);
  }
  free(a);
  free(factor);
  free(c);
  return is_right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int n = argc > 1 ? atoi(argv[1]) : 240;
  if (n < ranks) {
    if (rank == 0) fprintf(stderr, "usage: dgemm [N [times]], with N rows for at least as many as %d ranks\n", ranks);
    MPI_Finalize();
    return 2;
  }
  int is_right = run(n);
  if (argc > 2 && strcmp(argv[2], "times") == 0) print_times();
  if (rank == 0) printf("check %s: C x is %sA (B x)\n", is_right ? "passed" : "failed", is_right ? "" : "not ");
  MPI_Bcast(&is_right, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return is_right ? 0 : 1;
}
