// misuse.c - MPI programs with errors that STRETTO_CHECK=1 finds, one for each first argument.
#include <mpi.h>
#include <string.h>

static int rank, size, data[8];
static float reals[8];

static void types(void) {
  if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 7, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(reals, 4, MPI_FLOAT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void truncation(void) {
  if (rank == 0) MPI_Ssend(data, 4, MPI_INT, 1, 7, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(data, 2, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void leaks(void) {
  MPI_Request pending;
  MPI_Comm copy;
  MPI_Datatype pair;
  MPI_Irecv(data, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &pending);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Type_contiguous(2, MPI_INT, &pair);
}

static void changed_buffer(void) {
  MPI_Request pending;
  if (rank == 1) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(data, 4, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Issend(data, 4, MPI_INT, 1, 7, MPI_COMM_WORLD, &pending);
    data[2] = 5;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
  }
}

static void overlap(void) {
  MPI_Request both[2];
  if (rank == 0) {
    MPI_Irecv(data, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, &both[0]);
    MPI_Irecv(data + 3, 4, MPI_INT, 1, 2, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  } else {
    MPI_Send(data, 4, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Send(data, 4, MPI_INT, 0, 2, MPI_COMM_WORLD);
  }
}

static void roots(void) { MPI_Bcast(data, 4, MPI_INT, rank, MPI_COMM_WORLD); }

static void operations(void) {
  MPI_Allreduce(MPI_IN_PLACE, data, 4, MPI_INT, rank ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
}

static void counts(void) { MPI_Bcast(data, 4 + rank, MPI_INT, 0, MPI_COMM_WORLD); }

static void race(void) {
  int* memory;
  MPI_Win window;
  MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(0, window);
  MPI_Get(data, 2, MPI_INT, 0, 6, 2, MPI_INT, window);
  MPI_Win_fence(0, window);
  if (rank == 0) MPI_Put(data, 4, MPI_INT, 0, 0, 4, MPI_INT, window);
  if (rank == 1) MPI_Get(data, 4, MPI_INT, 0, 2, 4, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static int* memory_of_ranks;

static MPI_Win new_window(void) {
  MPI_Win window;
  MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory_of_ranks, &window);
  return window;
}

static MPI_Group group_of(int first, int last) {
  MPI_Group all, some;
  int range[1][3] = {{first, last, 1}};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 1, range, &some);
  MPI_Group_free(&all);
  return some;
}

// The accesses of two ranks to the last one, under a lock of all. That of rank 0 is not over when rank 1 begins.
static void race_under_lock(void) {
  MPI_Win window = new_window();
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Put(data, 4, MPI_INT, size - 1, 0, 4, MPI_INT, window);
    MPI_Ssend(data, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
  if (rank == 1) {
    MPI_Recv(data, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Get(data, 4, MPI_INT, size - 1, 2, 4, MPI_INT, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

// The accesses of two ranks to the last one, which all have posted at once. One is complete when the other begins.
static void race_in_post(void) {
  MPI_Win window = new_window();
  MPI_Group origins = group_of(0, 1), target = group_of(size - 1, size - 1);
  if (rank == size - 1) MPI_Win_post(origins, 0, window);
  if (rank < 2) {
    if (rank == 1) MPI_Recv(data, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_start(target, 0, window);
    MPI_Put(data, 4, MPI_INT, size - 1, 2 * rank, 4, MPI_INT, window);
    MPI_Win_complete(window);
    if (rank == 0) MPI_Send(data, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
  if (rank == size - 1) MPI_Win_wait(window);
  MPI_Group_free(&origins);
  MPI_Group_free(&target);
  MPI_Win_free(&window);
}

static void fences(void) {
  int* memory;
  MPI_Win window;
  MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(rank == 0 ? MPI_MODE_NOPRECEDE : 0, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  MPI_Win_free(&window);
}

// Accesses that do not conflict: disjoint ones, reads, accumulates, one after another, and some under a lock.
static void use_window(void) {
  int* memory;
  MPI_Win window;
  MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  MPI_Put(data, 4, MPI_INT, 0, 4 * rank, 4, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Get(data, 8, MPI_INT, 0, 0, 8, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Accumulate(data, 8, MPI_INT, 1, 0, 8, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  if (rank == 1) MPI_Put(data, 8, MPI_INT, 1, 0, 8, MPI_INT, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Put(data, 8, MPI_INT, 0, 0, 8, MPI_INT, window);
  MPI_Win_unlock(0, window);
  MPI_Win_free(&window);
}

// All ranks access the same numbers of the last one, one after another or under its lock.
static void use_window_under_lock(MPI_Win window) {
  const int target = size - 1;
  MPI_Request request;
  MPI_Win_lock_all(0, window);
  for (int turn = 0; turn < size; ++turn) {
    if (rank == turn) MPI_Put(data, 8, MPI_INT, target, 0, 8, MPI_INT, window);
    if (rank == turn) MPI_Win_flush(target, window);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Get(data, 8, MPI_INT, target, 0, 8, MPI_INT, window);
  MPI_Win_flush_local(target, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Put(data, 8, MPI_INT, target, 0, 8, MPI_INT, window);
  if (rank == 0) MPI_Win_flush_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Rget(data, 8, MPI_INT, target, 0, 8, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Put(data, 8, MPI_INT, target, 0, 8, MPI_INT, window);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 20; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
    MPI_Put(data, 8, MPI_INT, target, 0, 8, MPI_INT, window);
    MPI_Win_unlock(target, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// The last rank posts for each rank by itself, and then for accumulates of all.
static void use_window_by_posts(MPI_Win window) {
  MPI_Group target = group_of(size - 1, size - 1);
  for (int turn = 0; turn <= size; ++turn) {
    const int first = turn < size ? turn : 0, last = turn < size ? turn : size - 1;
    MPI_Group origins = group_of(first, last);
    int is_over = 0;
    if (rank == size - 1) MPI_Win_post(origins, 0, window);
    if (rank >= first && rank <= last) {
      MPI_Win_start(target, 0, window);
      if (turn < size) MPI_Put(data, 8, MPI_INT, size - 1, 0, 8, MPI_INT, window);
      else MPI_Accumulate(data, 8, MPI_INT, size - 1, 0, 8, MPI_INT, MPI_SUM, window);
      MPI_Win_complete(window);
    }
    if (rank == size - 1 && turn % 2) MPI_Win_wait(window);
    if (rank == size - 1 && turn % 2 == 0)
      while (!is_over) MPI_Win_test(window, &is_over);
    MPI_Group_free(&origins);
  }
  MPI_Group_free(&target);
}

static void right_epochs(void) {
  MPI_Win window = new_window();
  use_window_under_lock(window);
  use_window_by_posts(window);
  MPI_Win_free(&window);
}

// Without errors.
static void right(void) {
  int received[8];
  MPI_Request both[2];
  MPI_Comm copy;
  MPI_Datatype pair;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Irecv(received, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &both[0]);
  MPI_Isend(data, 3, pair, 1 - rank, 4, copy, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(data, 2, pair, 1 - rank, 5, received, 4, MPI_INT, 1 - rank, 5, copy, MPI_STATUS_IGNORE);
  MPI_Allreduce(MPI_IN_PLACE, data, 8, MPI_INT, MPI_SUM, copy);
  MPI_Gather(data, 1, MPI_INT, received, 1, MPI_INT, 1, copy);
  MPI_Type_free(&pair);
  MPI_Comm_free(&copy);
  use_window();
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } all[] = {{"types", types},
             {"truncation", truncation},
             {"leaks", leaks},
             {"changed_buffer", changed_buffer},
             {"overlap", overlap},
             {"roots", roots},
             {"counts", counts},
             {"operations", operations},
             {"race", race},
             {"fences", fences},
             {"right", right},
             {"right_epochs", right_epochs},
             {"race_under_lock", race_under_lock},
             {"race_in_post", race_in_post}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (argc > 1 && !strcmp(argv[1], all[i].name)) all[i].run();
  MPI_Finalize();
  return 0;
}
