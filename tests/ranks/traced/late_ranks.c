// late_ranks.c - four ranks that wait for each other for reasons that a report must find.
//
// A rank is late on purpose: it computes for a while once another rank waits for it. That the other one waits is known
// without regard to speed: it shares its only worker with the next rank, which runs once it is suspended.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { ready_tag = 1, go_tag = 2, data_tag = 3, large_tag = 4, chain_tag = 5, bytes = 1 << 20 };
static const long long nanoseconds = 30000000;

static int rank;
static char* data;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void compute(void) {
  const long long end = now() + nanoseconds;
  while (now() < end) continue;
}

static void send(int count, int to, int tag) { MPI_Send(data, count, MPI_CHAR, to, tag, MPI_COMM_WORLD); }

static void receive(int count, int from, int tag) {
  MPI_Recv(data, count, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Rank 3 notifies `late` that rank 2, which has notified rank 3 before, waits by now.
static void wait_until_rank_2_waits(int late) {
  if (rank == 2) send(0, 3, ready_tag);
  if (rank == 3) receive(0, 2, ready_tag);
  if (rank == 3) send(0, late, go_tag);
  if (rank == late) receive(0, 3, go_tag);
}

static void late_sender(void) {
  wait_until_rank_2_waits(0);
  if (rank == 2) receive(8, 0, data_tag);  // line of the late sender
  if (rank != 0) return;
  compute();
  send(8, 2, data_tag);
}

static void late_receiver(void) {
  wait_until_rank_2_waits(0);
  if (rank == 2) MPI_Ssend(data, 8, MPI_CHAR, 0, data_tag, MPI_COMM_WORLD);  // line of the late receiver
  if (rank != 0) return;
  compute();
  receive(8, 2, data_tag);
}

static void late_receiver_of_large_message(void) {
  wait_until_rank_2_waits(0);
  if (rank == 2) send(bytes, 0, large_tag);
  if (rank != 0) return;
  compute();
  receive(bytes, 2, large_tag);
}

// Rank 1 waits for rank 2, which waits for rank 0.
static void chain(void) {
  if (rank == 1) receive(8, 2, chain_tag);
  wait_until_rank_2_waits(0);
  if (rank == 0) compute();
  if (rank == 0) send(8, 2, chain_tag);
  if (rank == 2) receive(8, 0, chain_tag);
  if (rank == 2) compute();
  if (rank == 2) send(8, 1, chain_tag);
  if (rank == 1) compute();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  data = malloc(bytes);
  for (int i = 0; i < bytes; ++i) data[i] = (char)i;
  late_sender();
  late_receiver();
  late_receiver_of_large_message();
  chain();
  MPI_Barrier(MPI_COMM_WORLD);  // rank 1 comes last
  free(data);
  MPI_Finalize();
  return 0;
}
