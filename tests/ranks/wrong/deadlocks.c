// deadlocks.c - MPI programs that stop for ever, one for each first argument: their hang reports are compared.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, data[4];

static void receive_first(void) {  // each waits for the next
  MPI_Recv(data, 4, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(data, 4, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD);
}

static void synchronous_sends(void) {
  MPI_Ssend(data, 2, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD);
  MPI_Recv(data, 2, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void missing_send(void) {  // rank 0 goes to MPI_Finalize
  if (rank == 1) MPI_Recv(data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void missing_collective(void) {
  MPI_Comm named;
  MPI_Comm_dup(MPI_COMM_WORLD, &named);
  MPI_Comm_set_name(named, "the plate");
  if (rank != 2) MPI_Allreduce(MPI_IN_PLACE, data, 4, MPI_INT, MPI_SUM, named);
  else MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, named, MPI_STATUS_IGNORE);
}

static void different_order(void) {
  if (rank == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(data, 4, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Probe(1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(data, 4, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(data, 4, MPI_INT, 1, MPI_COMM_WORLD);
  }
}

static void several_requests(void) {
  MPI_Request all[3];
  int index;
  MPI_Irecv(data, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &all[0]);
  MPI_Irecv(data + 1, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &all[1]);
  MPI_Issend(data + 2, 1, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD, &all[2]);
  if (rank == 0) MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
  else MPI_Waitany(2, all, &index, MPI_STATUS_IGNORE);
}

static void lock_and_message(void) {  // rank 0 has the lock and waits for a message that rank 1 sends behind its epoch
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, win);
    MPI_Put(data, 1, MPI_INT, size - 1, 0, 1, MPI_INT, win);
    MPI_Win_flush(size - 1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(data, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_unlock(size - 1, win);
  } else if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, win);
    MPI_Put(data, 1, MPI_INT, size - 1, 1, 1, MPI_INT, win);
    MPI_Win_unlock(size - 1, win);
    MPI_Send(data, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  }
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  const char* const which = argc > 1 ? argv[1] : "";
  if (!strcmp(which, "ended") && getenv("STRETTO_RANK") && atoi(getenv("STRETTO_RANK")) == 1) return 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!strcmp(which, "receive_first")) receive_first();
  if (!strcmp(which, "synchronous_sends")) synchronous_sends();
  if (!strcmp(which, "missing_send")) missing_send();
  if (!strcmp(which, "missing_collective")) missing_collective();
  if (!strcmp(which, "different_order")) different_order();
  if (!strcmp(which, "several_requests")) several_requests();
  if (!strcmp(which, "lock_and_message")) lock_and_message();
  if (!strcmp(which, "self")) MPI_Recv(data, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
