#include "messages.hpp"

#include <mpi.h>

#include <vector>

namespace {

constexpr int ring = 64;

int rank_of_two() {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) throw bench::unsupported("start two processes: mpirun -np 2");
  return rank;
}

}  // namespace

bench::outcome time_nodes_latency(const bench::options& o) {
  const int rank = rank_of_two(), other = 1 - rank, bytes = static_cast<int>(o.size);
  const long turns = bytes > 200'000 ? o.steps / 5 : bytes > 4096 ? 2 * o.steps : 50 * o.steps;
  std::vector<char> out(bytes), in(bytes);
  MPI_Request receive;
  MPI_Recv_init(in.data(), bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &receive);
  MPI_Start(&receive);
  MPI_Barrier(MPI_COMM_WORLD);
  const bench::stopwatch clock;
  for (long i = 0; i < turns; ++i) {
    if (rank == 0) MPI_Send(out.data(), bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    if (i + 1 < turns) MPI_Start(&receive);
    if (rank == 1) MPI_Send(out.data(), bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
  }
  const double seconds = clock.seconds();
  MPI_Request_free(&receive);
  return {.value = seconds * 1e6 / (2.0 * static_cast<double>(turns))};
}

bench::outcome time_nodes_pingpong(const bench::options& o) {
  const int rank = rank_of_two(), other = 1 - rank;
  const long turns = 50 * o.steps;
  double out = 1, in = 0, sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const bench::stopwatch clock;
  for (long i = 0; i < turns; ++i) {
    if (rank == 0) MPI_Send(&out, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&out, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
    sum += in;
  }
  const double seconds = clock.seconds();
  if (sum != static_cast<double>(turns)) throw bench::wrong_answer("messages were lost");
  return {.value = seconds * 1e6 / (2.0 * static_cast<double>(turns))};
}

bench::outcome count_nodes_flood(const bench::options& o) {
  const int rank = rank_of_two(), other = 1 - rank, bytes = static_cast<int>(o.size);
  const long messages = 200 * o.steps;
  std::vector<std::vector<char>> buffers(ring, std::vector<char>(bytes));
  std::vector<MPI_Request> requests(ring, MPI_REQUEST_NULL);
  if (rank == 1)
    for (int i = 0; i < ring; ++i) {
      MPI_Recv_init(buffers[i].data(), bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[i]);
      MPI_Start(&requests[i]);
    }
  MPI_Barrier(MPI_COMM_WORLD);
  const bench::stopwatch clock;
  char end = 0;
  if (rank == 0) {
    for (long i = 0; i < messages; ++i) {
      const auto slot = static_cast<std::size_t>(i % ring);
      MPI_Wait(&requests[slot], MPI_STATUS_IGNORE);
      MPI_Isend(buffers[slot].data(), bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[slot]);
    }
    MPI_Waitall(ring, requests.data(), MPI_STATUSES_IGNORE);
    MPI_Recv(&end, 1, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    for (long i = 0; i < messages; ++i) {
      const auto slot = static_cast<std::size_t>(i % ring);
      MPI_Wait(&requests[slot], MPI_STATUS_IGNORE);
      if (i + ring < messages) MPI_Start(&requests[slot]);
    }
    MPI_Send(&end, 1, MPI_BYTE, other, 1, MPI_COMM_WORLD);
    for (MPI_Request& r : requests) MPI_Request_free(&r);
  }
  return {.value = static_cast<double>(messages) * 1e-6 / clock.seconds()};
}
