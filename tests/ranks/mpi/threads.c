/* threads.c - threads of a rank call MPI at once: messages in one communicator, collectives, generalized requests. */
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum { thread_count = 4, message_count = 50 };

static int rank, size;

/* Thread i of each rank exchanges with thread i of the neighbours, by its tag. */
static void* pass_messages(void* argument) {
  const int tag = (int)(long)argument;
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int is_main = 1;
  MPI_Is_thread_main(&is_main);
  CHECK_EQUAL(is_main, 0);
  errno = 100 + tag;
  for (int i = 0; i < message_count; ++i) {
    const int sent = 1000 * rank + i;
    int received = -1;
    MPI_Request request;
    CHECK_CALL(MPI_Irecv(&received, 1, MPI_INT, before, tag, MPI_COMM_WORLD, &request));
    CHECK_CALL(MPI_Ssend(&sent, 1, MPI_INT, next, tag, MPI_COMM_WORLD));
    CHECK_CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQUAL(received, 1000 * before + i);
  }
  CHECK_EQUAL(errno, 100 + tag);
  return argument;
}

/* Each thread has a communicator of its own, and duplicates it. */
static void* reduce(void* argument) {
  const MPI_Comm own = *(MPI_Comm*)argument;
  for (int i = 0; i < 10; ++i) {
    MPI_Comm copy;
    int sum = 0;
    CHECK_CALL(MPI_Comm_dup(own, &copy));
    CHECK_CALL(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy));
    CHECK_EQUAL(sum, size * (size - 1) / 2);
    CHECK_CALL(MPI_Comm_free(&copy));
  }
  return NULL;
}

/* The first calls of a new thread wait in collectives. */
static void* call_collectives(void* which) {
  int sum = 0, right = -1, left = -1;
  MPI_Win window;
  MPI_File file;
  if (which) CHECK_CALL(MPI_Barrier(MPI_COMM_WORLD));
  CHECK_CALL(MPI_Win_create(&right, sizeof right, sizeof right, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK_CALL(MPI_Win_fence(0, window));
  CHECK_CALL(MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window));
  CHECK_CALL(MPI_Win_fence(0, window));
  CHECK_EQUAL(right, (rank + size - 1) % size);
  CHECK_CALL(MPI_Win_free(&window));
  CHECK_CALL(MPI_File_open(MPI_COMM_WORLD, "threads.read", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file));
  CHECK_CALL(MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_CALL(MPI_Barrier(MPI_COMM_WORLD));
  CHECK_CALL(MPI_File_read_at(file, (rank + 1) % size * (MPI_Offset)sizeof rank, &left, 1, MPI_INT, MPI_STATUS_IGNORE));
  CHECK_EQUAL(left, (rank + 1) % size);
  CHECK_CALL(MPI_File_close(&file));
  CHECK_CALL(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK_EQUAL(sum, size * (size - 1) / 2);
  return NULL;
}

static void* open_file_first(void* unused) {
  MPI_File file;
  CHECK_CALL(MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  CHECK_CALL(MPI_File_close(&file));
  return unused;
}

static void run_one(void* (*function)(void*), void* argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, function, argument) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
}

/* Completes the operation of another thread. */
static void* complete(void* request) {
  CHECK_CALL(MPI_Grequest_complete(*(MPI_Request*)request));
  return NULL;
}

static int query(void* state, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, *(int*)state);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = 5;
  status->MPI_TAG = 6;
  return MPI_SUCCESS;
}

static int free_state(void* state) {
  ++*(int*)state;
  return MPI_SUCCESS;
}

static int cancel(void* state, int is_complete) {
  (void)is_complete;
  *(int*)state += 100;
  return MPI_SUCCESS;
}

static void run_all(void* (*function)(void*), void* arguments[]) {
  pthread_t threads[thread_count];
  for (long i = 0; i < thread_count; ++i) CHECK(pthread_create(&threads[i], NULL, function, arguments[i]) == 0);
  for (int i = 0; i < thread_count; ++i) {
    void* result;
    CHECK(pthread_join(threads[i], &result) == 0);
  }
}

static void check_generalized_request(void) {
  int state = 3, count = 0;
  MPI_Request request;
  MPI_Status status;
  pthread_t thread;
  CHECK_CALL(MPI_Grequest_start(query, free_state, cancel, &state, &request));
  CHECK(pthread_create(&thread, NULL, complete, &request) == 0);
  MPI_Request waited = request;
  CHECK_CALL(MPI_Wait(&waited, &status));
  CHECK(waited == MPI_REQUEST_NULL);
  CHECK(pthread_join(thread, NULL) == 0);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK_EQUAL(count, 3);
  CHECK_EQUAL(status.MPI_SOURCE, 5);
  CHECK_EQUAL(state, 4);
  CHECK_CALL(MPI_Grequest_start(query, free_state, cancel, &state, &request));
  CHECK_CALL(MPI_Cancel(&request));
  CHECK_EQUAL(state, 104);
  CHECK_CALL(MPI_Grequest_complete(request));
  CHECK_CLASS(MPI_Grequest_complete(request), MPI_ERR_REQUEST);
  CHECK_CALL(MPI_Request_free(&request));
  CHECK_EQUAL(state, 105);
}

int main(void) {
  int provided, level, is_main = 0;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  CHECK_EQUAL(provided, MPI_THREAD_MULTIPLE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Query_thread(&level);
  CHECK_EQUAL(level, MPI_THREAD_MULTIPLE);
  MPI_Is_thread_main(&is_main);
  CHECK_EQUAL(is_main, 1);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  void* arguments[thread_count];
  MPI_Comm own[thread_count];
  for (long i = 0; i < thread_count; ++i) arguments[i] = (void*)i;
  run_all(pass_messages, arguments);
  for (int i = 0; i < thread_count; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    arguments[i] = &own[i];
  }
  run_all(reduce, arguments);
  for (int i = 0; i < thread_count; ++i) MPI_Comm_free(&own[i]);
  run_one(open_file_first, NULL);
  run_one(call_collectives, &rank);
  run_one(call_collectives, NULL);
  check_generalized_request();
  return end_checks();
}
