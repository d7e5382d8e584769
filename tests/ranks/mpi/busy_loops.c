/* busy_loops.c - ranks that ask in loops whether something has happened, while the others of their worker go on. */
#include <mpi.h>

#include "check.h"

enum { kinds = 8 };

/* Asks once whether the message has come. */
static int has_come(int kind, int from, MPI_Request* request) {
  int flag = 0, index, count;
  MPI_Status status;
  switch (kind) {
    case 0: MPI_Test(request, &flag, &status); break;
    case 1: MPI_Testall(1, request, &flag, &status); break;
    case 2: MPI_Testany(1, request, &index, &flag, &status); break;
    case 3:
      MPI_Testsome(1, request, &count, &index, &status);
      flag = count == 1;
      break;
    case 4: MPI_Request_get_status(*request, &flag, &status); break;
    case 5: MPI_Iprobe(from, kind, MPI_COMM_WORLD, &flag, &status); break;
    default: MPI_Iprobe(MPI_ANY_SOURCE, kind, MPI_COMM_WORLD, &flag, &status);
  }
  return flag;
}

/* Each rank waits for the one before, which sends after it has got its own message. */
static void pass_round(int kind, int rank, int size) {
  const int before = (rank + size - 1) % size, next = (rank + 1) % size;
  int got = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  if (kind < 5) MPI_Irecv(&got, 1, MPI_INT, before, kind, MPI_COMM_WORLD, &request);
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, next, kind, MPI_COMM_WORLD);
  while (!has_come(kind, before, &request)) {
  }
  if (kind >= 5) MPI_Recv(&got, 1, MPI_INT, before, kind, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQUAL(got, before);
  if (rank != 0) MPI_Send(&rank, 1, MPI_INT, next, kind, MPI_COMM_WORLD);
}

/* Rank 0 looks at the clock until the others have written: they share its worker. */
static void wait_by_the_clock(int rank, int size) {
  int got = 0;
  MPI_Request request;
  if (rank == size - 1) MPI_Send(&rank, 1, MPI_INT, 0, kinds, MPI_COMM_WORLD);
  if (rank != 0) return;
  MPI_Irecv(&got, 1, MPI_INT, size - 1, kinds, MPI_COMM_WORLD, &request);
  volatile const int* const seen = &got;
  while (*seen != size - 1) MPI_Wtime();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(void) {
  int rank, size;
  begin_checks();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int kind = 0; kind < kinds; ++kind) pass_round(kind, rank, size);
  if (size > 1) wait_by_the_clock(rank, size);
  CHECK_CLASS(MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK); /* the rank knows itself as before */
  return end_checks();
}
