/* Two ranks whose queues wait for messages that nobody sends: a report names the operations and their lines. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank;
  double x[100];
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma acc data create(x)
  {
#pragma acc parallel loop present(x) async(1)
    for (int i = 0; i < 100; ++i) x[i] = i;
#pragma acc mpi recvbuf(device) async(1)
    MPI_Irecv(x, 100, MPI_DOUBLE, (rank + 1) % 2, 5, MPI_COMM_WORLD, &request);
#pragma acc parallel loop present(x) async(1)
    for (int i = 0; i < 100; ++i) x[i] += i;
#pragma acc wait(1)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
