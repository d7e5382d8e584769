/* partitions.c - partitioned messages, buffers of communicators, duplicates made meanwhile, requests looked at. */
#include "check.h"

#include <stdlib.h>

static int rank, size;

static void check_partitions(void) {
  enum { parts = 6, part = 5, rounds = 3 };
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int sent[parts * part] = {0}, received[parts * part], flag;
  MPI_Request requests[2];
  CHECK_CALL(MPI_Psend_init(sent, parts, part, MPI_INT, next, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
  CHECK_CALL(
      MPI_Precv_init(received, parts / 2, 2 * part, MPI_INT, before, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
  CHECK_CLASS(MPI_Pready(0, requests[0]), MPI_ERR_REQUEST);
  for (int round = 0; round < rounds; ++round) {
    const int tail[2] = {0, 5};
    for (int i = 0; i < parts * part; ++i) sent[i] = 100 * rank + i + round, received[i] = -1;
    CHECK_CALL(MPI_Startall(2, requests));
    CHECK_CALL(MPI_Pready_range(1, 3, requests[0]));
    CHECK_CALL(MPI_Pready(4, requests[0]));
    CHECK_CLASS(MPI_Pready(4, requests[0]), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Pready(parts, requests[0]), MPI_ERR_ARG);
    CHECK_CALL(MPI_Pready_list(2, tail, requests[0]));
    CHECK_CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_CALL(MPI_Parrived(requests[1], 2, &flag));
    CHECK_EQUAL(flag, 1);
    for (int i = 0; i < parts * part; ++i) CHECK_EQUAL(received[i], 100 * before + i + round);
  }
  CHECK_CALL(MPI_Request_free(&requests[0]));
  CHECK_CALL(MPI_Request_free(&requests[1]));
}

static void check_buffers(void) {
  char memory[4096];
  void* returned;
  int value = rank, received = -1, bytes;
  MPI_Comm own;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  CHECK_CLASS(MPI_Bsend(&value, 1, MPI_INT, rank, 0, own), MPI_ERR_BUFFER);
  CHECK_CALL(MPI_Comm_attach_buffer(own, memory, sizeof memory));
  CHECK_CALL(MPI_Bsend(&value, 1, MPI_INT, (rank + 1) % size, 0, own));
  CHECK_CALL(MPI_Comm_iflush_buffer(own, &request));
  CHECK_CALL(MPI_Recv(&received, 1, MPI_INT, (rank + size - 1) % size, 0, own, MPI_STATUS_IGNORE));
  CHECK_CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_CALL(MPI_Comm_flush_buffer(own));
  CHECK_EQUAL(received, (rank + size - 1) % size);
  CHECK_CALL(MPI_Comm_detach_buffer(own, &returned, &bytes));
  CHECK(returned == memory);
  CHECK_EQUAL(bytes, sizeof memory);
  MPI_Comm_free(&own);
  CHECK_CALL(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
  CHECK_CALL(MPI_Bsend(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD));
  CHECK_CALL(MPI_Buffer_iflush(&request));
  CHECK_CALL(MPI_Recv(&received, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK_CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_CALL(MPI_Buffer_detach(&returned, &bytes));
  CHECK(returned == MPI_BUFFER_AUTOMATIC);
}

/* The collective between the call and its end must not be taken for a part of it. */
static void check_duplicates(void) {
  enum { copies = 5 };
  MPI_Comm made[copies];
  MPI_Request requests[copies];
  for (int i = 0; i < copies; ++i) {
    int sum = 0;
    CHECK_CALL(MPI_Comm_idup(MPI_COMM_WORLD, &made[i], &requests[i]));
    CHECK_CALL(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQUAL(sum, size * (size - 1) / 2);
  }
  CHECK_CALL(MPI_Waitall(copies, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < copies; ++i) {
    int result;
    CHECK_CALL(MPI_Barrier(made[i]));
    MPI_Comm_compare(MPI_COMM_WORLD, made[i], &result);
    CHECK_EQUAL(result, MPI_CONGRUENT);
    MPI_Comm_free(&made[i]);
  }
}

static void check_status_of_several(void) {
  int values[2] = {1, 2}, received[2], flag, index, count, indices[2];
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[3];
  CHECK_CALL(MPI_Request_get_status_any(3, requests, &index, &flag, statuses));
  CHECK(flag && index == MPI_UNDEFINED);
  MPI_Irecv(&received[0], 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&received[1], 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[2]);
  CHECK_CALL(MPI_Request_get_status_all(3, requests, &flag, statuses));
  CHECK_EQUAL(flag, 0);
  MPI_Send(&values[1], 1, MPI_INT, rank, 2, MPI_COMM_WORLD);
  CHECK_CALL(MPI_Request_get_status_any(3, requests, &index, &flag, &statuses[0]));
  CHECK(flag && index == 2 && statuses[0].MPI_TAG == 2);
  CHECK_CALL(MPI_Request_get_status_some(3, requests, &count, indices, statuses));
  CHECK(count == 1 && indices[0] == 2 && statuses[0].MPI_TAG == 2);
  MPI_Send(&values[0], 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  CHECK_CALL(MPI_Request_get_status_all(3, requests, &flag, statuses));
  CHECK_EQUAL(flag, 1);
  CHECK_EQUAL(statuses[0].MPI_TAG, 1);
  CHECK_CALL(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
  CHECK(received[0] == 1 && received[1] == 2);
}

/* A communicator that is freed while a receive waits: its messages and those of a new one are kept apart. */
static void check_freed_communicator(void) {
  int value = 2, received = 0, is_there = 0;
  MPI_Comm freed, made;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 9, freed, &request);
  MPI_Comm_free(&freed);
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 9, made);
  MPI_Recv(&value, 1, MPI_INT, (rank + size - 1) % size, 9, made, MPI_STATUS_IGNORE);
  MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
  CHECK_EQUAL(is_there, 0);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&made);
}

/* The same with persistent requests, which no queue holds between two operations. */
static void check_freed_with_persistent_requests(void) {
  int value = 1, other = 2, received = 0;
  MPI_Comm freed, made;
  MPI_Request requests[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  MPI_Send_init(&value, 1, MPI_INT, (rank + 1) % size, 8, freed, &requests[0]);
  MPI_Recv_init(&received, 1, MPI_INT, (rank + size - 1) % size, 8, freed, &requests[1]);
  MPI_Comm_free(&freed);
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Send(&other, 1, MPI_INT, (rank + 1) % size, 8, made);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK_EQUAL(received, 1);
  MPI_Recv(&other, 1, MPI_INT, (rank + size - 1) % size, 8, made, MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Comm_free(&made);
}

static void check_processes(void) {
  MPI_Comm other = MPI_COMM_WORLD;
  char port[MPI_MAX_PORT_NAME];
  CHECK_CALL(MPI_Comm_get_parent(&other));
  CHECK(other == MPI_COMM_NULL);
  CHECK_CLASS(MPI_Comm_spawn("program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE),
              MPI_ERR_SPAWN);
  CHECK_CLASS(MPI_Open_port(MPI_INFO_NULL, port), MPI_ERR_PORT);
}

static void check_tools(void) {
  int provided, count = -1, index;
  CHECK_EQUAL(MPI_T_cvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
  CHECK_CALL(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  CHECK_CALL(MPI_T_pvar_get_num(&count));
  CHECK_EQUAL(count, 0);
  CHECK_EQUAL(MPI_T_cvar_get_index("none", &index), MPI_T_ERR_INVALID_NAME);
  CHECK_CALL(MPI_T_finalize());
}

int main(void) {
  begin_checks();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check_partitions();
  check_buffers();
  check_duplicates();
  check_status_of_several();
  check_freed_communicator();
  check_freed_with_persistent_requests();
  check_processes();
  check_tools();
  return end_checks();
}
