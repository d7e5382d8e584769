/* Messages, collectives, windows and files whose buffers are memory of the device. Prints what is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 600, rows = 20, columns = 30, most_ranks = 8 };

static int rank, size;
static double a[n], b[n * most_ranks];

static void fill(double first) {
#pragma acc parallel loop present(a)
  for (int i = 0; i < n; ++i) a[i] = first + i;
#pragma acc parallel loop present(b)
  for (int i = 0; i < n * most_ranks; ++i) b[i] = -1;
}

/* The elements of b from `at` on are first, first + step, ... */
static void expect(const char* what, int at, int count, double first, double step) {
#pragma acc update host(b)
  for (int i = 0; i < count; ++i) {
    if (b[at + i] == first + i * step) continue;
    printf("rank %d, %s: element %d is %g, not %g\n", rank, what, at + i, b[at + i], first + i * step);
    return;
  }
}

static void pass_around(double* in, double* out) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request requests[2];
  fill(1000 * rank);
  MPI_Irecv(out, n, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(in, n, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  expect("a message", 0, n, 1000 * before, 1);

  MPI_Datatype column;
  MPI_Type_vector(rows, 1, columns, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  fill(1000 * rank);
  MPI_Sendrecv(in + 3, 1, column, next, 1, out, rows, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect("a column", 0, rows, 1000 * before + 3, columns);
  MPI_Sendrecv(in, 3, MPI_DOUBLE, next, 2, out + 7, 3, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect("three elements", 7, 3, 1000 * before, 1);
  MPI_Type_free(&column);
}

static void sum_up(double* in, double* out) {
  const double sums = size * (size - 1) / 2.0 * 1000;
  MPI_Request request;
  fill(1000 * rank);
  MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  expect("a sum", 0, n, sums, size);
  fill(1000 * rank);
  MPI_Iallreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect("a sum that does not block", 0, n, sums, size);
  fill(1000 * rank);
  MPI_Scan(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  expect("a scan", 0, n, rank * (rank + 1) / 2.0 * 1000, rank + 1);
  fill(1000 * rank);
  MPI_Reduce(in, out, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) expect("the greatest", 0, 1, 1000 * (size - 1), 0);
}

static void distribute(double* in, double* out) {
  const int each = n / size;
  fill(1000 * rank);
  MPI_Bcast(in, n, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
  MPI_Allgather(in, 5, MPI_DOUBLE, out, 5, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) expect("gathered elements", 5 * i, 5, 1000 * (size - 1), 1);
  fill(1000 * rank);
  MPI_Alltoall(in, each, MPI_DOUBLE, out, each, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) expect("exchanged elements", each * i, each, 1000 * i + each * rank, 1);
}

static void access_window(double* in, double* out) {
  MPI_Win window;
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  fill(1000 * rank);
  MPI_Win_create(out, n * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(in, n / 2, MPI_DOUBLE, next, 0, n / 2, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Accumulate(in, n / 2, MPI_DOUBLE, next, 0, n / 2, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_fence(0, window);
  expect("a window", 0, n / 2, 2000 * before, 2);
  MPI_Win_free(&window);
}

static void write_file(double* in, double* out) {
  MPI_File file;
  const char* const name = "device_buffers.bytes";
  fill(1000 * rank);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, (MPI_Offset)rank * n * (MPI_Offset)sizeof(double), in, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at_all(file, 0, out, n * size, MPI_DOUBLE, MPI_STATUS_IGNORE);
  for (int i = 0; i < size; ++i) expect("a file", n * i, n, 1000 * i, 1);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > most_ranks) MPI_Abort(MPI_COMM_WORLD, 2);
#pragma acc data create(a, b)
  {
#pragma acc host_data use_device(a, b)
    {
      void (*const parts[])(double*, double*) = {pass_around, sum_up, distribute, access_window, write_file};
      for (int i = 0; i < 5; ++i) parts[i](a, b);
    }
  }
  MPI_Finalize();
  return 0;
}
