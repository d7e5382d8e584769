/* Prints whether all ranks run on the same thread. */
#include <mpi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size, is_same = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma acc parallel loop reduction(+ : sum)
  for (int i = 0; i < 10; ++i) sum += i;
  long threads[64];
  const long own = syscall(SYS_gettid);
  if (size > 64) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Allgather(&own, 1, MPI_LONG, threads, 1, MPI_LONG, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) is_same &= threads[i] == own;
  if (rank == 0) printf("%s\n", is_same ? "one thread" : "several threads");
  MPI_Finalize();
  return sum == 45 ? 0 : 1;
}
