/* shared_blocks.c - blocks of the heap that ranks share by `acc mpi` with readonly, and each case in which they are
 * copied. The argument "copied" says that none may be shared. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 40000, part = 10000 };

static int rank, size, shares, failed;
static double fixed[n];

#define CHECK(condition) check(condition, #condition, __LINE__)

static void check(int holds, const char* text, int line) {
  if (holds) return;
  failed = 1;
  printf("rank %d, line %d: %s\n", rank, line, text);
}

static double* numbers(int count, int first) {
  double* const made = malloc(count * sizeof *made);
  for (int i = 0; i < count; ++i) made[i] = first + i;
  return made;
}

/* Whether a rank has the numbers from `first` on. */
static int has(const double* from, int count, int first) {
  for (int i = 0; i < count; ++i)
    if (from[i] != first + i) return 0;
  return 1;
}

static uintptr_t address_of(const void* memory) { return (uintptr_t)memory; }

/* The address that rank 0 has. */
static uintptr_t of_root(const void* own) {
  uintptr_t address = address_of(own);
  MPI_Bcast(&address, sizeof address, MPI_BYTE, 0, MPI_COMM_WORLD);
  return address;
}

static void blocks_of_messages(void) {
  double* block = numbers(n, rank == 0 ? 5 : -1);
  const uintptr_t before = address_of(block);
  if (rank == 0) {
    for (int to = 1; to < size; ++to)
#pragma acc mpi sendbuf(readonly)
      MPI_Send(block, n, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
  } else {
#pragma acc mpi recvbuf(readonly)
    MPI_Recv(block, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  CHECK(has(block, n, 5));
  const uintptr_t root = of_root(block);
  CHECK(rank == 0 || ((uintptr_t)block == root) == shares);
  CHECK(rank == 0 || ((uintptr_t)block == before) != shares);
  if (rank == 0) free(block); /* the others still read it */
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) return;
  CHECK(has(block, n, 5));
  free(block);
}

static void parts_of_a_block(void) {
  double* all = rank == 0 ? numbers(size * part, 100) : NULL;
  double* own = numbers(part, -1);
  MPI_Request request;
  if (rank == 0) {
    MPI_Request* const sent = malloc(size * sizeof *sent);
    for (int to = 1; to < size; ++to)
#pragma acc mpi sendbuf(readonly)
      MPI_Isend(all + to * part, part, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, &sent[to - 1]);
    MPI_Waitall(size - 1, sent, MPI_STATUSES_IGNORE);
    free(sent);
  } else {
#pragma acc mpi recvbuf(readonly)
    MPI_Irecv(own, part, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(has(own, part, 100 + rank * part));
  }
  const uintptr_t root = of_root(all);
  if (rank > 0) CHECK(((uintptr_t)own == root + rank * part * sizeof(double)) == shares);
  free(all);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank > 0) own = realloc(own, 2 * part * sizeof *own); /* others may hold the block: the rank gets a copy */
  if (rank > 0) CHECK(has(own, part, 100 + rank * part));
  free(own);
}

static void collectives(void) {
  double* table = numbers(n, rank == 0 ? 7 : -1);
  double* rows = rank == 0 ? numbers(size * part, 3) : NULL;
  double* own = numbers(part, -1);
  for (int again = 0; again < 3; ++again) {
#pragma acc mpi sendbuf(readonly) recvbuf(readonly)
    MPI_Bcast(table, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#pragma acc mpi sendbuf(readonly) recvbuf(readonly)
    const int result = MPI_Scatter(rows, part, MPI_DOUBLE, own, part, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CHECK(result == MPI_SUCCESS);
    CHECK(has(table, n, 7));
    CHECK(has(own, part, 3 + rank * part));
    CHECK(((uintptr_t)table == of_root(table)) == (shares || rank == 0));
    const uintptr_t expected = of_root(rows) + rank * part * sizeof(double);
    if (rank > 0 || again == 0) CHECK(((uintptr_t)own == expected) == shares); /* later, rows begin there, too */
  }
  free(rows);
  free(table);
  CHECK(has(own, part, 3 + rank * part));
  free(own);
}

/* A copy into a block that others hold must not change what they read. */
static void copies_leave_shared_blocks_alone(void) {
  double* held = numbers(n, rank == 0 ? 1 : -1);
#pragma acc mpi sendbuf(readonly) recvbuf(readonly)
  MPI_Bcast(held, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    double* other = numbers(n, 50);
    MPI_Send(other, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); /* not readonly */
    MPI_Send(other, part, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    free(other);
  } else if (rank == 0 && size > 1) {
#pragma acc mpi recvbuf(readonly)
    MPI_Recv(held, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(has(held, n, 50));
#pragma acc mpi recvbuf(readonly)
    MPI_Recv(held, part, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(has(held, part, 50));
    CHECK(has(held + part, n - part, 50 + part));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank > 0) CHECK(has(held, n, 1));
  free(held);
}

static void receive_from_parameter(double* given, int from) {
#pragma acc mpi recvbuf(readonly)
  MPI_Recv(given, n, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Every case in which the receiver's block is not the sender's. */
static void copied_messages(void) {
  double *sent = numbers(n, 9), *plain = numbers(n, -1), *larger = numbers(n + 1, -1), *small = numbers(100, -1);
  double *second = numbers(n, -1), *copied_to = numbers(n, -1);
  double *given = numbers(n, -1), *const before = given;
  double* interior = numbers(2 * n, -1);
  double* const first_of_interior = interior + n;
  double* also = copied_to;
  double *queued = numbers(n, -1), *present = numbers(n, -1);
#pragma acc enter data create(present[0 : n])
  for (int i = 0; i < n; ++i) fixed[i] = 9 + i;
  if (rank == 0 && size > 1) {
    MPI_Send(sent, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* the sender does not say readonly */
#pragma acc mpi sendbuf(readonly)
    MPI_Send(sent, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* the receiver does not */
#pragma acc mpi sendbuf(readonly)
    MPI_Send(fixed, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* not from the heap */
#pragma acc mpi sendbuf(readonly)
    MPI_Send(sent, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* a larger block */
#pragma acc mpi sendbuf(readonly)
    MPI_Send(sent, 100, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* a small one */
    for (int i = 0; i < 5; ++i)
#pragma acc mpi sendbuf(readonly)
      MPI_Send(sent, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  } else if (rank == 1) {
#pragma acc mpi recvbuf(readonly)
    MPI_Recv(plain, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(second, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(has(plain, n, 9) && has(second, n, 9));
#pragma acc mpi recvbuf(readonly)
    MPI_Recv(second, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma acc mpi recvbuf(readonly)
    MPI_Recv(larger, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma acc mpi recvbuf(readonly)
    MPI_Recv(small, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(has(second, n, 9) && has(larger, n, 9) && larger[n] == n - 1 && has(small, 100, 9));
#pragma acc mpi recvbuf(readonly)
    MPI_Recv(interior + n, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* no variable */
    CHECK(has(first_of_interior, n, 9) && has(interior, n, -1));
#pragma acc mpi recvbuf(readonly)
    MPI_Recv(copied_to, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* `also` points there, too */
    CHECK(copied_to == also && has(also, n, 9));
    receive_from_parameter(given, 0);
    CHECK(given == before && has(given, n, 9));
#pragma acc mpi recvbuf(readonly) async(1)
    MPI_Recv(queued, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma acc wait(1)
    CHECK(has(queued, n, 9));
#pragma acc mpi recvbuf(readonly)
    MPI_Recv(present, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(has(present, n, 9));
  }
#pragma acc exit data delete (present[0 : n])
  free(sent), free(plain), free(larger), free(small), free(second), free(copied_to), free(interior), free(queued),
      free(given);
  free(present);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  shares = !(argc > 1 && strcmp(argv[1], "copied") == 0);
  blocks_of_messages();
  parts_of_a_block();
  collectives();
  copies_leave_shared_blocks_alone();
  copied_messages();
  MPI_Finalize();
  return failed;
}
