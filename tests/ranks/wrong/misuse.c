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
  } all[] = {{"types", types},     {"truncation", truncation}, {"leaks", leaks},   {"changed_buffer", changed_buffer},
             {"overlap", overlap}, {"roots", roots},           {"counts", counts}, {"operations", operations},
             {"race", race},       {"fences", fences},         {"right", right}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (argc > 1 && !strcmp(argv[1], all[i].name)) all[i].run();
  MPI_Finalize();
  return 0;
}
