/* messages.c - sends in all modes, receives with wildcards, probes, persistent requests, exchanges: all ranks with the
   next and the one before. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { early = 64, late = 200000 };

static int rank, size, next, before;

static int value(int of_rank, int i) { return of_rank * 1000003 + i; }

static void fill(int* data, int count) {
  for (int i = 0; i < count; ++i) data[i] = value(rank, i);
}

static void check_from(const int* data, int count, int of_rank) {
  for (int i = 0; i < count; ++i)
    if (data[i] != value(of_rank, i)) {
      CHECK_EQUAL(data[i], value(of_rank, i));
      return;
    }
}

static void check_modes(int count) {
  int *sent = malloc(sizeof *sent * count), *received = malloc(sizeof *received * count);
  void* buffer = malloc(sizeof *sent * count + MPI_BSEND_OVERHEAD);
  int size_of_buffer, bytes;
  MPI_Request request;
  MPI_Status status;
  fill(sent, count);
  MPI_Buffer_attach(buffer, (int)sizeof *sent * count + MPI_BSEND_OVERHEAD);
  for (int mode = 0; mode < 4; ++mode) {
    memset(received, 0, sizeof *received * count);
    CHECK_CALL(MPI_Irecv(received, count, MPI_INT, before, mode, MPI_COMM_WORLD, &request));
    if (mode == 3) MPI_Barrier(MPI_COMM_WORLD); /* a send in ready mode needs a receive */
    switch (mode) {
      case 0: CHECK_CALL(MPI_Send(sent, count, MPI_INT, next, mode, MPI_COMM_WORLD)); break;
      case 1: CHECK_CALL(MPI_Ssend(sent, count, MPI_INT, next, mode, MPI_COMM_WORLD)); break;
      case 2: CHECK_CALL(MPI_Bsend(sent, count, MPI_INT, next, mode, MPI_COMM_WORLD)); break;
      default: CHECK_CALL(MPI_Rsend(sent, count, MPI_INT, next, mode, MPI_COMM_WORLD));
    }
    CHECK_CALL(MPI_Wait(&request, &status));
    CHECK_EQUAL(status.MPI_SOURCE, before);
    CHECK_EQUAL(status.MPI_TAG, mode);
    MPI_Get_count(&status, MPI_INT, &bytes);
    CHECK_EQUAL(bytes, count);
    check_from(received, count, before);
  }
  MPI_Buffer_detach(&buffer, &size_of_buffer);
  CHECK_EQUAL(size_of_buffer, (int)sizeof *sent * count + MPI_BSEND_OVERHEAD);
  free(buffer), free(sent), free(received);
}

/* Messages of one sender come in order, whatever they are received by. */
static void check_order(void) {
  int sent[8], received = -1;
  MPI_Request requests[8];
  MPI_Status status;
  for (int i = 0; i < 8; ++i) {
    sent[i] = value(rank, i);
    CHECK_CALL(MPI_Isend(&sent[i], 1, MPI_INT, next, i % 2, MPI_COMM_WORLD, &requests[i]));
  }
  for (int i = 0; i < 8; ++i) {
    CHECK_CALL(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    CHECK_EQUAL(status.MPI_TAG, i % 2);
    CHECK_CALL(MPI_Recv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    CHECK_EQUAL(received, value(before, i));
    CHECK_EQUAL(status.MPI_SOURCE, before);
  }
  CHECK_CALL(MPI_Waitall(8, requests, MPI_STATUSES_IGNORE));
}

static void check_matched_probe(void) {
  int sent = value(rank, 5), received = -1;
  MPI_Message message;
  MPI_Status status;
  MPI_Request request;
  CHECK_CALL(MPI_Isend(&sent, 1, MPI_INT, next, 9, MPI_COMM_WORLD, &request));
  CHECK_CALL(MPI_Mprobe(before, 9, MPI_COMM_WORLD, &message, &status));
  CHECK_CALL(MPI_Mrecv(&received, 1, MPI_INT, &message, &status));
  CHECK_EQUAL(received, value(before, 5));
  CHECK_EQUAL(message == MPI_MESSAGE_NULL, 1);
  CHECK_CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void check_matched_receive_without_wait(void) {
  int sent = rank, received = -1;
  MPI_Request sending, receiving;
  MPI_Message message;
  MPI_Status status;
  MPI_Isend(&sent, 1, MPI_INT, next, 8, MPI_COMM_WORLD, &sending);
  MPI_Mprobe(before, 8, MPI_COMM_WORLD, &message, &status);
  MPI_Imrecv(&received, 1, MPI_INT, &message, &receiving);
  MPI_Wait(&receiving, &status);
  CHECK(receiving == MPI_REQUEST_NULL); /* it is not persistent */
  CHECK_EQUAL(received, before);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
}

static void check_persistent(void) {
  int sent = 0, received = -1;
  MPI_Request requests[2];
  MPI_Send_init(&sent, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&received, 1, MPI_INT, before, 3, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 5; ++i) {
    sent = value(rank, i);
    CHECK_CALL(MPI_Startall(2, requests));
    CHECK_CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_EQUAL(received, value(before, i));
  }
  MPI_Request_free(&requests[0]), MPI_Request_free(&requests[1]);
  CHECK_EQUAL(requests[1] == MPI_REQUEST_NULL, 1);
}

static void check_exchanges(void) {
  int data = value(rank, 1), received = -1;
  MPI_Request request;
  MPI_Status status;
  CHECK_CALL(MPI_Sendrecv(&data, 1, MPI_INT, next, 4, &received, 1, MPI_INT, before, 4, MPI_COMM_WORLD, &status));
  CHECK_EQUAL(received, value(before, 1));
  CHECK_CALL(MPI_Sendrecv_replace(&data, 1, MPI_INT, next, 5, before, 5, MPI_COMM_WORLD, &status));
  CHECK_EQUAL(data, value(before, 1));
  data = value(rank, 2);
  CHECK_CALL(MPI_Isendrecv_replace(&data, 1, MPI_INT, next, 6, before, 6, MPI_COMM_WORLD, &request));
  CHECK_CALL(MPI_Wait(&request, &status));
  CHECK_EQUAL(data, value(before, 2));
  CHECK_EQUAL(status.MPI_SOURCE, before);
  received = 7;
  CHECK_CALL(MPI_Recv(&received, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
  CHECK_EQUAL(received, 7);
  CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
}

static void check_truncation(void) {
  int sent[4] = {1, 2, 3, 4}, received[2] = {0, 0};
  MPI_Request request;
  MPI_Isend(sent, 4, MPI_INT, next, 8, MPI_COMM_WORLD, &request);
  CHECK_CLASS(MPI_Recv(received, 2, MPI_INT, before, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  CHECK_CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_CLASS(MPI_Send(sent, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Send(sent, 1, MPI_INT, next, -1, MPI_COMM_WORLD), MPI_ERR_TAG);
  CHECK_CLASS(MPI_Send(sent, -1, MPI_INT, next, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Send(sent, 1, MPI_DATATYPE_NULL, next, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
}

int main(void) {
  begin_checks();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  check_modes(early);
  if (size > 1) check_modes(late); /* a rank that sends itself much would wait for itself */
  check_order();
  check_matched_probe();
  check_matched_receive_without_wait();
  check_persistent();
  check_exchanges();
  MPI_Barrier(MPI_COMM_WORLD);
  check_truncation();
  return end_checks();
}
