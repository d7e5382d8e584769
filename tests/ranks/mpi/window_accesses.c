/* window_accesses.c - ranks that read, write and combine each other's memory in all kinds of epochs. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int rank, size;

/* Each rank writes its number to a place of its own in all others. */
static void check_fence(void) {
  int* base;
  MPI_Win win;
  CHECK_CALL(MPI_Win_allocate(size * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  for (int round = 1; round < 20; ++round) {
    const int number = rank + 100 * round;
    CHECK_CALL(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    for (int target = 0; target < size; ++target)
      CHECK_CALL(MPI_Put(&number, 1, MPI_INT, target, rank, 1, MPI_INT, win));
    CHECK_CALL(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (int other = 0; other < size; ++other) CHECK_EQUAL(base[other], other + 100 * round);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  CHECK_CALL(MPI_Win_free(&win));
}

/* Rows of a matrix become columns of the target's. */
static void check_derived_types(void) {
  enum { n = 20 };
  double *base, from[n * n];
  MPI_Win win;
  MPI_Datatype column, columns;
  MPI_Type_vector(n, 1, n, MPI_DOUBLE, &column);
  MPI_Type_create_resized(column, 0, sizeof(double), &columns);
  MPI_Type_commit(&columns);
  CHECK_CALL(MPI_Win_allocate(sizeof from, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  for (int i = 0; i < n * n; ++i) from[i] = i + 1000 * rank;
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Win_fence(0, win);
  CHECK_CALL(MPI_Put(from, n * n, MPI_DOUBLE, next, 0, n, columns, win));
  MPI_Win_fence(0, win);
  for (int i = 0; i < n * n; ++i) CHECK_EQUAL(base[i], i % n * n + i / n + 1000 * before);
  MPI_Win_fence(0, win);
  CHECK_CALL(MPI_Accumulate(from, n * n, MPI_DOUBLE, next, 0, n, columns, MPI_SUM, win));
  MPI_Win_fence(0, win);
  for (int i = 0; i < n * n; ++i) CHECK_EQUAL(base[i], 2 * (i % n * n + i / n + 1000 * before));
  CHECK_CALL(MPI_Get(from, n, columns, next, 0, n * n, MPI_DOUBLE, win));
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  for (int i = 0; i < n * n; ++i) CHECK_EQUAL(from[i], 2 * (i + 1000 * rank));
  CHECK_CALL(MPI_Win_free(&win));
  MPI_Type_free(&columns);
  MPI_Type_free(&column);
}

static MPI_Group group_of(int other) {
  MPI_Group all, one;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &other, &one);
  MPI_Group_free(&all);
  return one;
}

/* Each rank accesses the next one. */
static void check_post_and_start(void) {
  int* base;
  MPI_Win win;
  MPI_Group next = group_of((rank + 1) % size), before = group_of((rank + size - 1) % size);
  CHECK_CALL(MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  for (int round = 0; round < 50; ++round) {
    int number = 1000 * rank + round, is_over = 0;
    CHECK_CALL(MPI_Win_post(before, 0, win));
    CHECK_CALL(MPI_Win_start(next, 0, win));
    CHECK_CALL(MPI_Put(&number, 1, MPI_INT, (rank + 1) % size, round % 2, 1, MPI_INT, win));
    CHECK_CALL(MPI_Win_complete(win));
    if (round % 3) CHECK_CALL(MPI_Win_wait(win));
    else
      while (!is_over) CHECK_CALL(MPI_Win_test(win, &is_over));
    CHECK_EQUAL(base[round % 2], 1000 * ((rank + size - 1) % size) + round);
  }
  CHECK_CALL(MPI_Win_free(&win));
  MPI_Group_free(&next);
  MPI_Group_free(&before);
}

/* Counters of all ranks in one place: with a lock, and with each atomic operation. */
static void check_counters(void) {
  enum { times = 200 };
  long* base;
  MPI_Win win;
  const long one = 1;
  long old = 0, sum = 0;
  CHECK_CALL(MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  for (int i = 0; i < times; ++i) {
    CHECK_CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    CHECK_CALL(MPI_Get(&old, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win));
    CHECK_CALL(MPI_Win_flush(0, win));
    ++old;
    CHECK_CALL(MPI_Put(&old, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win));
    CHECK_CALL(MPI_Win_unlock(0, win));
  }
  CHECK_CALL(MPI_Win_lock_all(0, win));
  for (int i = 0; i < times; ++i) {
    long found = 0, expected;
    CHECK_CALL(MPI_Accumulate(&one, 1, MPI_LONG, 0, 1, 1, MPI_LONG, MPI_SUM, win));
    CHECK_CALL(MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 2, MPI_SUM, win));
    CHECK_CALL(MPI_Win_flush_local(0, win));
    sum += old;
    do {
      const long next = (expected = found) + 1;
      CHECK_CALL(MPI_Compare_and_swap(&next, &expected, &found, MPI_LONG, 0, 3, win));
      CHECK_CALL(MPI_Win_flush(0, win));
    } while (found != expected);
  }
  CHECK_CALL(MPI_Win_unlock_all(win));
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 4 && rank == 0; ++i) CHECK_EQUAL(base[i], times * size);
  long all = 0;
  MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK_EQUAL(all, (long)times * size * (times * size - 1) / 2); /* each number was fetched once */
  CHECK_CALL(MPI_Win_free(&win));
}

static void check_requests(void) {
  int *base, values[3] = {rank, rank + 1, rank + 2}, old[3] = {-1, -1, -1}, copy[3];
  MPI_Win win;
  MPI_Request requests[3];
  CHECK_CALL(MPI_Win_allocate(sizeof values, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  CHECK_CALL(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
  CHECK_CALL(MPI_Rput(values, 3, MPI_INT, rank, 0, 3, MPI_INT, win, &requests[0]));
  CHECK_CALL(MPI_Raccumulate(values, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, MPI_SUM, win, &requests[1]));
  CHECK_CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CHECK_CALL(MPI_Win_flush(rank, win));
  CHECK_CALL(MPI_Rget_accumulate(values, 3, MPI_INT, old, 3, MPI_INT, rank, 0, 3, MPI_INT, MPI_PROD, win, requests));
  CHECK_CALL(MPI_Wait(requests, MPI_STATUS_IGNORE));
  CHECK_CALL(MPI_Win_flush(rank, win));
  CHECK_CALL(MPI_Rget_c(copy, 3, MPI_INT, rank, 0, 3, MPI_INT, win, requests));
  CHECK_CALL(MPI_Wait(requests, MPI_STATUS_IGNORE));
  CHECK(requests[0] == MPI_REQUEST_NULL);
  CHECK_CALL(MPI_Win_unlock(rank, win));
  for (int i = 0; i < 3; ++i) {
    CHECK_EQUAL(old[i], values[i]);
    CHECK_EQUAL(copy[i], values[i] * values[i]);
  }
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  CHECK_CALL(MPI_Win_fence(0, win));
  CHECK_CLASS(MPI_Rput(values, 3, MPI_INT, rank, 0, 3, MPI_INT, win, requests), MPI_ERR_RMA_SYNC);
  CHECK_CALL(MPI_Win_fence(0, win));
  CHECK_CALL(MPI_Win_free(&win));
}

static int count_wrong(const int* numbers, int length, int first) {
  int wrong = 0;
  for (int i = 0; i < length; ++i) wrong += numbers[i] != first + i;
  return wrong;
}

/* Data of every length, which the next rank gets, returns and adds to. Once a request is done, the origin is free. */
static void check_lengths(void) {
  enum { most = 50000 };
  const int lengths[] = {1, 500, 1005, 1010, 1024, 1025, most}, next = (rank + 1) % size;
  int *base, *from = malloc(most * sizeof *from), *back = malloc(most * sizeof *back);
  MPI_Win win;
  MPI_Request request;
  CHECK_CALL(MPI_Win_allocate(most * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  CHECK_CALL(MPI_Win_lock_all(0, win));
  for (int k = 0; k < 7; ++k) {
    const int length = lengths[k], own = 1000 * rank + k, received = 1000 * ((rank + size - 1) % size) + k;
    MPI_Datatype block;
    MPI_Type_contiguous(length, MPI_INT, &block);
    MPI_Type_commit(&block);
    for (int i = 0; i < length; ++i) from[i] = own + i;
    CHECK_CALL(MPI_Rput(from, length, MPI_INT, next, 0, length, MPI_INT, win, &request));
    CHECK_CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < length; ++i) from[i] = 1;
    CHECK_CALL(MPI_Win_flush(next, win));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQUAL(count_wrong(base, length, received), 0);
    CHECK_CALL(MPI_Rget(back, 1, block, next, 0, length, MPI_INT, win, &request));
    CHECK_CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQUAL(count_wrong(back, length, own), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(back, 0, length * sizeof *back);
    CHECK_CALL(MPI_Get_accumulate(from, 1, block, back, length, MPI_INT, next, 0, 1, block, MPI_SUM, win));
    MPI_Type_free(&block);
    CHECK_CALL(MPI_Win_flush(next, win));
    CHECK_EQUAL(count_wrong(back, length, own), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQUAL(count_wrong(base, length, received + 1), 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  CHECK_CALL(MPI_Win_unlock_all(win));
  CHECK_CALL(MPI_Win_free(&win));
  free(from);
  free(back);
}

/* A list whose elements the ranks attach and link. */
static void check_dynamic_memory(void) {
  MPI_Win win;
  int value = 7 + rank, found = 0;
  MPI_Aint own, *all = malloc(size * sizeof *all);
  CHECK_CALL(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  CHECK_CALL(MPI_Win_attach(win, &value, sizeof value));
  MPI_Get_address(&value, &own);
  MPI_Allgather(&own, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
  CHECK_CALL(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
  for (int target = 0; target < size; ++target) {
    CHECK_CALL(MPI_Get(&found, 1, MPI_INT, target, all[target], 1, MPI_INT, win));
    CHECK_CALL(MPI_Win_flush_all(win));
    CHECK_EQUAL(found, 7 + target);
    /* the flush reports it if the target is on another node */
    const int code = MPI_Get(&found, 1, MPI_INT, target, MPI_Aint_add(all[target], 1), 1, MPI_INT, win);
    CHECK_CLASS(code ? code : MPI_Win_flush(target, win), MPI_ERR_RMA_RANGE);
  }
  CHECK_CALL(MPI_Win_unlock_all(win));
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_CALL(MPI_Win_detach(win, &value));
  CHECK_CLASS(MPI_Win_detach(win, &value), MPI_ERR_RMA_ATTACH);
  CHECK_CALL(MPI_Win_free(&win));
  free(all);
}

/* A token that ranks of a node pass by stores to shared memory: a rank that waits lets others run. */
static void check_shared_memory(void) {
  volatile int *own, *first;
  MPI_Comm node;
  MPI_Win win;
  MPI_Aint bytes;
  int unit, place, count;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &place);
  MPI_Comm_size(node, &count);
  CHECK_CALL(MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, node, &own, &win));
  CHECK_CALL(MPI_Win_shared_query(win, 0, &bytes, &unit, &first));
  CHECK(first + place == own);
  CHECK_CALL(MPI_Win_lock_all(0, win));
  for (int round = 0; round < 10; ++round) {
    while (first[0] != round * count + place) CHECK_CALL(MPI_Win_sync(win));
    ++first[0];
    CHECK_CALL(MPI_Win_sync(win));
  }
  CHECK_CALL(MPI_Win_unlock_all(win));
  MPI_Barrier(node);
  CHECK_EQUAL(first[0], 10 * count);
  CHECK_CALL(MPI_Win_free(&win));
  MPI_Comm_free(&node);
}

/* Windows of parts of the world, and several at once. */
static void check_parts(void) {
  MPI_Comm half;
  MPI_Win outer, inner;
  int *base, *other, number = rank, found = -1, place;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &place);
  CHECK_CALL(MPI_Win_allocate(4, 1, MPI_INFO_NULL, half, &base, &inner));
  CHECK_CALL(MPI_Win_allocate(4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other, &outer));
  MPI_Comm_free(&half);
  *other = -5;
  CHECK_CALL(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, place, 0, inner));
  CHECK_CALL(MPI_Put(&number, 1, MPI_INT, place, 0, 1, MPI_INT, inner));
  CHECK_CALL(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, outer));
  CHECK_CALL(MPI_Win_unlock(rank, outer));
  CHECK_CALL(MPI_Win_unlock(place, inner));
  CHECK_EQUAL(*base, rank);
  CHECK_CALL(MPI_Win_fence(0, inner));
  CHECK_CALL(MPI_Get(&found, 1, MPI_INT, 0, 0, 1, MPI_INT, inner));
  CHECK_CALL(MPI_Win_fence(0, inner));
  CHECK_EQUAL(found, (size - 1) - ((size - 1 - rank) % 2)); /* the last rank of the half */
  CHECK_EQUAL(*other, -5);
  CHECK_CALL(MPI_Win_free(&outer));
  CHECK_CALL(MPI_Win_free(&inner));
}

int main(void) {
  begin_checks();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check_fence();
  check_derived_types();
  check_post_and_start();
  check_counters();
  check_requests();
  check_lengths();
  check_dynamic_memory();
  check_shared_memory();
  check_parts();
  return end_checks();
}
