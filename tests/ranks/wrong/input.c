// input.c - each rank counts the lines of its standard input.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank, count = 0;
  char line[100] = "", last[100] = "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (; fgets(line, sizeof line, stdin); ++count) strcpy(last, line);
  last[strcspn(last, "\n")] = 0;
  printf("rank %d: %d lines, the last is %s\n", rank, count, last);
  MPI_Finalize();
  return 0;
}
