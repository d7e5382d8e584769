/* jacobi.c - an MPI program with regions of OpenACC: heat in a plate, whose rows are divided among ranks.
 *
 * This program shows an unchanged program with MPI and OpenACC. Each rank has some rows of a plate. A step computes
 * each cell as the mean of its neighbours, in a region that runs on all cores of the node, and then exchanges the rows
 * at the edges with the neighbours. It stops when no cell changes by more than a limit. The program helps readers who
 * have such a program and want to run it as ranks of Stretto.
 *
 *     stretto cc -O2 jacobi.c -o jacobi
 *     STRETTO_RANKS=2 ./jacobi
 *
 * Output
 *   1037 steps, mean temperature 22.9743
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { columns = 48, all_rows = 48 };

static int rank, ranks, rows; /* rows of this rank, without those of its neighbours */

static int cell(int row, int column) { return row * (columns + 2) + column; }

/* The greatest change of a cell. */
static double relax(const double* from, double* to) {
  double change = 0;
#pragma acc parallel loop collapse(2) reduction(max : change) copyin(from[0 : (rows + 2) * (columns + 2)]) \
    copy(to[0 : (rows + 2) * (columns + 2)])
  for (int row = 1; row <= rows; ++row)
    for (int column = 1; column <= columns; ++column) {
      const int c = cell(row, column);
      to[c] = (from[cell(row - 1, column)] + from[cell(row + 1, column)] + from[c - 1] + from[c + 1]) / 4;
      change = fmax(change, fabs(to[c] - from[c]));
    }
  return change;
}

static void exchange_edges(double* plate) {
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(&plate[cell(1, 0)], columns + 2, MPI_DOUBLE, up, 0, &plate[cell(rows + 1, 0)], columns + 2, MPI_DOUBLE,
               down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&plate[cell(rows, 0)], columns + 2, MPI_DOUBLE, down, 1, &plate[cell(0, 0)], columns + 2, MPI_DOUBLE, up,
               1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double sum_of(const double* plate) {
  double sum = 0;
#pragma acc parallel loop reduction(+ : sum) copyin(plate[0 : (rows + 2) * (columns + 2)])
  for (int row = 1; row <= rows; ++row)
    for (int column = 1; column <= columns; ++column) sum += plate[cell(row, column)];
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rows = all_rows * (rank + 1) / ranks - all_rows * rank / ranks;
  double *now = calloc((rows + 2) * (columns + 2), sizeof *now),
         *next = calloc((rows + 2) * (columns + 2), sizeof *now);
  for (int row = 0; row < rows + 2; ++row) now[cell(row, 0)] = next[cell(row, 0)] = 100; /* the left edge is hot */
  int steps = 0;
  double change = 1, sum = 0;
  while (change > 1e-2) {
    const double mine = relax(now, next);
    MPI_Allreduce(&mine, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    exchange_edges(next);
    double* const last = now;
    now = next, next = last;
    ++steps;
  }
  const double part = sum_of(now);
  MPI_Reduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d steps, mean temperature %.4f\n", steps, sum / (all_rows * columns));
  free(now);
  free(next);
  MPI_Finalize();
  return 0;
}
