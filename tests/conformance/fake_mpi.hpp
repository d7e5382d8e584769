// fake_mpi.hpp - an MPI of up to four nodes in one process, for transports: it promises what MPI does, and no more.
//
// Messages of a pair come in order, those of several senders in any; a send may end at once or when its message is received, and only
// then are its bytes read; what has ended is told late. All of it by seed; with an even one, the nodes share no memory.
//
// Threads     any thread, as with MPI_THREAD_MULTIPLE. One job at a time.
#pragma once

#include <cstdint>

#include "net/mpi/mpi_calls.hpp"

namespace stretto::net {

struct fake_mpi {
  static constexpr int most_nodes = 4;

  /// Forgets the job before.
  static void begin(int nodes, std::uint64_t seed, mpi::threads level = mpi::threads::multiple);
  /// From now on it says that it takes memory of CUDA devices, until another job begins.
  static void take_cuda_memory();
  static const mpi::calls& of_node(int node);
  /// From now on that node's sends fail.
  static void break_sends_of(int node);
  /// That node has ended the job for all.
  static bool has_aborted(int node);
  /// Messages of heads that the node has sent.
  static std::uint64_t sent(int node);
  /// Where what it was last told to send and to receive on the channel of bulk lies.
  struct bulk_addresses {
    const void *sent_from = nullptr, *received_at = nullptr;
  };
  static bulk_addresses bulk(int node);
};

}  // namespace stretto::net
