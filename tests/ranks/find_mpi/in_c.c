// in_c.c - a C program with a library of its own: prints a line that is the same for each rank.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int next_call(void);
int next_random(void);
static __thread int per_thread = 1;

int main(int argc, char** argv) {
  int rank = -1;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS || MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return 1;
  srand(42);
  const int first = next_call(), random = next_random(), second = next_call();
  fprintf(stdout, "%d %d %d %d %d\n", first, second, random, per_thread++, rank);
  return MPI_Finalize();
}
