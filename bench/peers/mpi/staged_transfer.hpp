// staged_transfer.hpp - transfers between devices of two ranks through the host, independent of the driver.
//
// Threads     one per rank.
#pragma once

#include <mpi.h>

#include <algorithm>

#include "messages.hpp"

/// This rank, of two. Throws bench::unsupported if there are not two.
inline int rank_of_two() {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) throw bench::unsupported("start two processes: mpirun -np 2");
  return rank;
}

/// `send()` on rank 0 and `receive()` on the other, then the other way round, again and again: microseconds one way.
template <class Send, class Receive>
bench::outcome one_way(const bench::options& o, int rank, Send&& send, Receive&& receive) {
  const long turns = std::max(1L, o.size > 200'000 ? o.steps / 5 : o.size > 4096 ? 2 * o.steps : 10 * o.steps);
  MPI_Barrier(MPI_COMM_WORLD);
  const bench::stopwatch clock;
  for (long i = 0; i < turns; ++i) {
    if (rank == 0) send();
    receive();
    if (rank == 1) send();
  }
  return {.value = clock.seconds() * 1e6 / (2.0 * static_cast<double>(turns))};
}
