/* queued_copies.c - acc_memcpy_* in queues run in order with regions, and without the caller. Prints what is wrong. */
#include <mpi.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 50000, steps = 6 }; /* more than what an idle queue does at once */

static int rank;

static void expect(const char* what, const double* got, double first) {
  for (int i = 0; i < n; ++i) {
    if (got[i] == first + i) continue;
    printf("rank %d, %s: element %d is %g, not %g\n", rank, what, i, got[i], first + i);
    return;
  }
}

static void add(double* x, double more, int queue) {
#pragma acc parallel loop deviceptr(x) async(queue)
  for (int i = 0; i < n; ++i) x[i] += more;
}

/* Each step adds to the one, copies it to the other, adds to that, and brings both back. */
static void copy_in_turn(double* one, double* other, int queue) {
  double* const host = malloc(n * sizeof *host);
  double* const results = malloc(2 * steps * n * sizeof *results);
  for (int i = 0; i < n; ++i) host[i] = rank + i;
  acc_memcpy_to_device_async(one, host, n * sizeof *host, queue);
  for (int step = 0; step < steps; ++step) {
    add(one, 1, queue);
    acc_memcpy_device_async(other, one, n * sizeof *host, queue);
    add(other, 10, queue);
    acc_memcpy_from_device_async(results + 2 * step * n, one, n * sizeof *host, queue);
    acc_memcpy_from_device_async(results + (2 * step + 1) * n, other, n * sizeof *host, queue);
  }
  acc_wait(queue);
  for (int step = 0; step < steps; ++step) {
    expect("the one", results + 2 * step * n, rank + step + 1);
    expect("the other", results + (2 * step + 1) * n, rank + step + 11);
  }
  free(results);
  free(host);
}

/* A copy to the device and one back without a queue, of a part, and of nothing. */
static void copy_at_once(double* one) {
  double values[3] = {5, 6, 7}, got[3] = {0, 0, 0};
  acc_memcpy_to_device(one + 2, values, sizeof values);
  acc_memcpy_to_device(one + 2, values, 0);
  acc_memcpy_device(one + 3, one + 4, sizeof *one);
  acc_memcpy_from_device(got, one + 2, sizeof got);
  if (got[0] != 5 || got[1] != 7 || got[2] != 7) printf("rank %d: %g %g %g\n", rank, got[0], got[1], got[2]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double *const one = acc_malloc(n * sizeof *one), *const other = acc_malloc(n * sizeof *other);
  copy_in_turn(one, other, 3);
  copy_in_turn(one, other, acc_async_noval);
  copy_in_turn(one, other, acc_async_sync);
  copy_at_once(one);
  acc_free(one);
  acc_free(other);
  MPI_Finalize();
  return 0;
}
