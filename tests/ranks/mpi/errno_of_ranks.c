/* errno_of_ranks.c - calls of MPI that succeed leave errno and the locale of each rank as they are, also where one rank
   performs a collective for all, where functions of the program change errno, and where reads must wait for a disk. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { rounds = 20, small = 16, large = 100000 };

static int rank, size;
static locale_t own_locale;
static const char* last_call = "the start";

static int own_errno(void) { return 1000 + rank; }

static void check_state(const char* call, int line) {
  if (errno != own_errno()) {
    ++failures;
    printf("line %d: rank %d has errno %d after %s; the call before it was %s\n", line, rank, errno, call, last_call);
  }
  if (uselocale((locale_t)0) != own_locale) {
    ++failures;
    printf("line %d: rank %d has another locale after %s\n", line, rank, call);
  }
  last_call = call;
  errno = own_errno();
}

#define KEEPS(call)               \
  do {                            \
    CHECK_CALL(call);             \
    check_state(#call, __LINE__); \
  } while (0)

/* Sums, and leaves errno changed as functions of libraries may. */
static void sum(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((const int*)in)[i];
  errno = EDOM;
}

static int copy_attribute(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  *(void**)out = in;
  *flag = 1;
  errno = ERANGE;
  return MPI_SUCCESS;
}

static int drop_attribute(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  errno = ERANGE;
  return MPI_SUCCESS;
}

static void exchange_messages(int* out, int* in) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int count = small; count <= large; count = count == small ? large : large + 1) {
    MPI_Request both[2];
    KEEPS(MPI_Irecv(in, count, MPI_INT, left, 1, MPI_COMM_WORLD, &both[0]));
    KEEPS(MPI_Isend(out, count, MPI_INT, right, 1, MPI_COMM_WORLD, &both[1]));
    KEEPS(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
    KEEPS(MPI_Sendrecv(out, count, MPI_INT, right, 2, in, count, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    KEEPS(MPI_Irecv(in, count, MPI_INT, left, 3, MPI_COMM_WORLD, &both[0]));
    KEEPS(MPI_Issend(out, count, MPI_INT, right, 3, MPI_COMM_WORLD, &both[1]));
    for (int done = 0; !done;) KEEPS(MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE));
  }
  MPI_Request sent;
  MPI_Status status;
  KEEPS(MPI_Isend(out, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &sent));
  for (int found = 0; !found;) KEEPS(MPI_Iprobe(left, 4, MPI_COMM_WORLD, &found, &status));
  KEEPS(MPI_Probe(left, 4, MPI_COMM_WORLD, &status));
  KEEPS(MPI_Recv(in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &status));
  KEEPS(MPI_Wait(&sent, &status));
  const double end = MPI_Wtime() + 1e-4;
  while (MPI_Wtime() < end) continue;
  check_state("MPI_Wtime", __LINE__);
}

static void call_collectives(int* out, int* in, MPI_Op op) {
  int result[small];
  MPI_Request request;
  KEEPS(MPI_Barrier(MPI_COMM_WORLD));
  KEEPS(MPI_Bcast(out, large, MPI_INT, 0, MPI_COMM_WORLD));
  KEEPS(MPI_Allreduce(out, in, small, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  KEEPS(MPI_Allreduce(out, in, small, MPI_INT, op, MPI_COMM_WORLD));
  KEEPS(MPI_Allreduce(out, in, large, MPI_INT, op, MPI_COMM_WORLD));
  KEEPS(MPI_Reduce(out, in, small, MPI_INT, op, size - 1, MPI_COMM_WORLD));
  KEEPS(MPI_Scan(out, result, small, MPI_INT, op, MPI_COMM_WORLD));
  KEEPS(MPI_Iallreduce(out, result, small, MPI_INT, op, MPI_COMM_WORLD, &request));
  KEEPS(MPI_Wait(&request, MPI_STATUS_IGNORE));
  KEEPS(MPI_Iallreduce(out, result, small, MPI_INT, op, MPI_COMM_WORLD, &request));
  for (int done = 0; !done;) KEEPS(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
  KEEPS(MPI_Ibarrier(MPI_COMM_WORLD, &request));
  KEEPS(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void make_communicators(int key) {
  MPI_Comm made, half;
  MPI_Request request;
  KEEPS(MPI_Comm_dup(MPI_COMM_WORLD, &made));
  KEEPS(MPI_Comm_split(made, rank % 2, rank, &half));
  KEEPS(MPI_Barrier(half));
  KEEPS(MPI_Comm_free(&half));
  KEEPS(MPI_Comm_free(&made));
  KEEPS(MPI_Comm_idup(MPI_COMM_WORLD, &made, &request));
  KEEPS(MPI_Wait(&request, MPI_STATUS_IGNORE));
  KEEPS(MPI_Comm_free(&made));
  KEEPS(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &rank));
}

static void use_windows(int* out) {
  int* memory;
  MPI_Win window;
  const int right = (rank + 1) % size;
  KEEPS(MPI_Win_allocate(small * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window));
  KEEPS(MPI_Win_fence(0, window));
  KEEPS(MPI_Put(out, small, MPI_INT, right, 0, small, MPI_INT, window));
  KEEPS(MPI_Win_fence(0, window));
  KEEPS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
  KEEPS(MPI_Accumulate(out, small, MPI_INT, 0, 0, small, MPI_INT, MPI_SUM, window));
  KEEPS(MPI_Win_unlock(0, window));
  KEEPS(MPI_Win_free(&window));
}

/* The pages of the file, which the system had in memory, must be read from the disk again. */
static void forget_pages(const char* name) {
  const int file = open(name, O_RDONLY);
  if (file >= 0) posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), close(file);
  errno = own_errno();
}

static void use_files(int* out, int* in) {
  const char* const name = "errno_of_ranks.data";
  MPI_File file;
  const MPI_Offset mine = (MPI_Offset)rank * large * sizeof(int);
  KEEPS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  KEEPS(MPI_File_write_at(file, mine, out, large, MPI_INT, MPI_STATUS_IGNORE));
  KEEPS(MPI_File_sync(file));
  KEEPS(MPI_Barrier(MPI_COMM_WORLD));
  forget_pages(name);
  KEEPS(MPI_File_read_at(file, mine, in, small, MPI_INT, MPI_STATUS_IGNORE));
  KEEPS(MPI_File_read_at(file, mine, in, large, MPI_INT, MPI_STATUS_IGNORE));
  forget_pages(name);
  KEEPS(MPI_File_read_at_all(file, mine, in, large, MPI_INT, MPI_STATUS_IGNORE));
  KEEPS(MPI_File_close(&file));
  if (rank == 0) KEEPS(MPI_File_delete(name, MPI_INFO_NULL));
  KEEPS(MPI_Barrier(MPI_COMM_WORLD));
}

int main(void) {
  begin_checks();
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  own_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  uselocale(own_locale);
  int* const out = calloc(large, sizeof *out);
  int* const in = calloc(large, sizeof *in);
  MPI_Op op;
  int key;
  errno = own_errno();
  KEEPS(MPI_Op_create(sum, 1, &op));
  KEEPS(MPI_Comm_create_keyval(copy_attribute, drop_attribute, &key, NULL));
  KEEPS(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &rank));
  for (int i = 0; i < rounds; ++i) {
    exchange_messages(out, in);
    call_collectives(out, in, op);
    make_communicators(key);
    use_windows(out);
    if (i % 10 == 0) use_files(out, in);
  }
  KEEPS(MPI_Op_free(&op));
  free(out), free(in);
  uselocale(LC_GLOBAL_LOCALE);
  freelocale(own_locale);
  return end_checks();
}
