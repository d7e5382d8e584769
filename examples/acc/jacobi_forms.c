/* jacobi_forms.c - three ways to order kernels and messages: synchronous, asynchronous, and in one queue.
 *
 * This program computes the temperature of a plate as jacobi.c does, for a fixed number of steps. Each step updates all
 * cells on the device and exchanges the rows at the edges with the neighbours. The three forms are those of figure 4 of
 * IMPACC (J. Kim, S. Lee, J. S. Vetter, HPDC 2016):
 *
 *   synchronous    the host waits for each kernel, copy and message
 *   asynchronous   kernels and copies are in a queue; the host waits for the queue ahead of messages
 *   unified        messages are in the queue, too, by the directive `acc mpi`; the host waits once, at the end
 *
 * Other compilers ignore `acc mpi`. The unified form is therefore only there if the compiler defines the macro
 * __STRETTO_ACC_MPI__. The program helps readers who choose among these forms.
 *
 * The check: all forms end with the same temperatures, to the last bit.
 *
 *     stretto cc -O2 jacobi_forms.c -o jacobi_forms
 *     STRETTO_RANKS=2 ./jacobi_forms
 *
 * `./jacobi_forms asynchronous` runs this form alone. `./jacobi_forms all 1000 500` runs all of them, for 500 steps on
 * 1000 x 1000 cells, and `./jacobi_forms all 1000 500 times` also prints the seconds of each form. With the name of a
 * file behind that, it draws the plate (Netpbm, P6).
 *
 * Output
 *   100 steps on 64 x 64 cells: mean temperature 7.418357
 *   check passed: each form that ran gives the same temperatures
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, up, down; /* neighbours */
static long rows, width;          /* rows of this rank, without those of its neighbours; cells of a row */
static long cells;                /* of this rank and of its neighbours' rows */

struct form {
  const char* name;
  /* Makes `steps` steps, of which the last one writes `even` if their number is even, and `odd` if it is odd. */
  void (*run)(double* even, double* odd, int steps);
};

#pragma acc routine seq
static double mean_of_neighbours(const double* from, long cell, long width_of_row) {
  return (from[cell - width_of_row] + from[cell + width_of_row] + from[cell - 1] + from[cell + 1]) / 4;
}

static void run_synchronously(double* even, double* odd, int steps) {
  const int count = (int)width;
  for (int step = 0; step < steps; ++step) {
    double *const from = step % 2 ? odd : even, *const to = step % 2 ? even : odd;
#pragma acc parallel loop collapse(2) present(from[0 : cells], to[0 : cells])
    for (long row = 1; row <= rows; ++row)
      for (long column = 1; column < width - 1; ++column)
        to[row * width + column] = mean_of_neighbours(from, row * width + column, width);
#pragma acc update host(to[width : width])
#pragma acc update host(to[rows * width : width])
    MPI_Sendrecv(&to[width], count, MPI_DOUBLE, up, 0, &to[(rows + 1) * width], count, MPI_DOUBLE, down, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&to[rows * width], count, MPI_DOUBLE, down, 1, &to[0], count, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
#pragma acc update device(to[0 : width])
#pragma acc update device(to[(rows + 1) * width : width])
  }
}

static void run_asynchronously(double* even, double* odd, int steps) {
  const int count = (int)width;
  for (int step = 0; step < steps; ++step) {
    double *const from = step % 2 ? odd : even, *const to = step % 2 ? even : odd;
    MPI_Request requests[4];
    MPI_Irecv(&to[0], count, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&to[(rows + 1) * width], count, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[1]);
#pragma acc parallel loop collapse(2) present(from[0 : cells], to[0 : cells]) async(1)
    for (long row = 1; row <= rows; ++row)
      for (long column = 1; column < width - 1; ++column)
        to[row * width + column] = mean_of_neighbours(from, row * width + column, width);
#pragma acc update host(to[width : width]) async(1)
#pragma acc update host(to[rows * width : width]) async(1)
#pragma acc wait(1)
    MPI_Isend(&to[width], count, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&to[rows * width], count, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
#pragma acc update device(to[0 : width]) async(1)
#pragma acc update device(to[(rows + 1) * width : width]) async(1)
  }
#pragma acc wait(1)
}

#if defined(__STRETTO_ACC_MPI__)
static void run_in_one_queue(double* even, double* odd, int steps) {
  const int count = (int)width;
  MPI_Request* const requests = malloc(4 * (size_t)steps * sizeof *requests);
  for (int step = 0; step < steps; ++step) {
    double *const from = step % 2 ? odd : even, *const to = step % 2 ? even : odd;
    MPI_Request* const of_step = &requests[4 * step];
#pragma acc parallel loop collapse(2) present(from[0 : cells], to[0 : cells]) async(1)
    for (long row = 1; row <= rows; ++row)
      for (long column = 1; column < width - 1; ++column)
        to[row * width + column] = mean_of_neighbours(from, row * width + column, width);
#pragma acc mpi sendbuf(device) async(1)
    MPI_Isend(&to[width], count, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &of_step[0]);
#pragma acc mpi sendbuf(device) async(1)
    MPI_Isend(&to[rows * width], count, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &of_step[1]);
#pragma acc mpi recvbuf(device) async(1)
    MPI_Irecv(&to[0], count, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &of_step[2]);
#pragma acc mpi recvbuf(device) async(1)
    MPI_Irecv(&to[(rows + 1) * width], count, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &of_step[3]);
  }
#pragma acc wait(1)
  MPI_Waitall(4 * steps, requests, MPI_STATUSES_IGNORE); /* All have ended; this frees the requests. */
  free(requests);
}
#endif

static const struct form forms[] = {
    {"synchronous", run_synchronously},
    {"asynchronous", run_asynchronously},
#if defined(__STRETTO_ACC_MPI__)
    {"unified", run_in_one_queue},
#endif
};

/* The temperatures of this rank after some steps from the start, where the left edge is hot. */
static double* temperatures_by(const struct form* form, int steps) {
  double *const even = calloc((size_t)cells, sizeof(double)), *const odd = calloc((size_t)cells, sizeof(double));
  if (!even || !odd) MPI_Abort(MPI_COMM_WORLD, 2);
  for (long row = 0; row < rows + 2; ++row) even[row * width] = odd[row * width] = 100;
#pragma acc data copy(even[0 : cells], odd[0 : cells])
  form->run(even, odd, steps);
  free(steps % 2 ? even : odd);
  return steps % 2 ? odd : even;
}

static double sum_over_ranks(const double* plate) {
  double own = 0, all = 0;
  for (long row = 1; row <= rows; ++row)
    for (long column = 1; column < width - 1; ++column) own += plate[row * width + column];
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* Whether the form gives the temperatures of those before it, which are in `first` unless it is null. */
static int run_form(const struct form* form, int steps, int prints_times, double** first) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  double* const found = temperatures_by(form, steps);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && prints_times) printf("%s: %.6f seconds\n", form->name, MPI_Wtime() - start);
  if (!*first) {
    *first = found;
    return 1;
  }
  int is_same = memcmp(&found[width], &(*first)[width], (size_t)(rows * width) * sizeof(double)) == 0;
  MPI_Allreduce(MPI_IN_PLACE, &is_same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  free(found);
  return is_same;
}

static void write_row(FILE* file, const double* row, int n) {
  for (int column = 1; column <= n; ++column) {
    const double warm = row[column] / 100;
    const double colours[3] = {3 * warm, 3 * warm - 1, 3 * warm - 2}; /* black, red, yellow, white */
    for (int i = 0; i < 3; ++i) fputc(colours[i] < 0 ? 0 : colours[i] > 1 ? 255 : (int)(255 * colours[i]), file);
  }
}

/* Rank 0 writes the rows of all ranks in their order. Whether the picture was written. */
static int draw(double* plate, int n, const char* name) {
  FILE* const file = rank == 0 ? fopen(name, "wb") : NULL;
  if (file) fprintf(file, "P6\n%d %d\n255\n", n, n);
  for (int from = 0; from < ranks; ++from)
    for (long row = (long)n * from / ranks; row < (long)n * (from + 1) / ranks; ++row) {
      double* const own = &plate[(row - (long)n * rank / ranks + 1) * width];
      if (rank == from && from != 0) MPI_Send(own, (int)width, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
      if (rank != 0) continue;
      if (from != 0) MPI_Recv(plate, (int)width, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (file) write_row(file, from == 0 ? own : plate, n);
    }
  int is_written = rank != 0 || (file && fclose(file) == 0);
  MPI_Bcast(&is_written, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return is_written;
}

static int run(const char* name, int n, int steps, int prints_times, const char* picture) {
  rows = (long)n * (rank + 1) / ranks - (long)n * rank / ranks;
  width = n + 2, cells = (rows + 2) * width;
  up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  double* first = NULL;
  int is_same = 1;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i)
    if (strcmp(name, "all") == 0 || strcmp(name, forms[i].name) == 0)
      is_same &= run_form(&forms[i], steps, prints_times, &first);
  if (!first) return 2;
  const double sum = sum_over_ranks(first);
  if (rank == 0) {
    printf("%d steps on %d x %d cells: mean temperature %.6f\n", steps, n, n, sum / n / n);
    printf("check %s: each form that ran gives %s temperatures\n", is_same ? "passed" : "failed",
           is_same ? "the same" : "other");
  }
  const int is_drawn = !picture || draw(first, n, picture);
  if (rank == 0 && !is_drawn) fprintf(stderr, "%s cannot be written\n", picture);
  free(first);
  return is_same && is_drawn ? 0 : 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int n = argc > 2 ? atoi(argv[2]) : 64, steps = argc > 3 ? atoi(argv[3]) : 100;
  const int prints_times = argc > 4 && strcmp(argv[4], "times") == 0;
  const char* const picture = prints_times && argc > 5 ? argv[5] : NULL;
  const int result = n < ranks || steps < 1 ? 2 : run(argc > 1 ? argv[1] : "all", n, steps, prints_times, picture);
  if (result == 2 && rank == 0)
    fprintf(stderr,
            "usage: jacobi_forms [all|synchronous|asynchronous|unified [N [STEPS [times [PICTURE]]]]], with N rows\n"
            "for at least as many ranks; unified needs a compiler that knows the directive acc mpi\n");
  MPI_Finalize();
  return result;
}
