// fake_mpi.hpp - an MPI of up to four nodes in one process, for tests of transports: it guarantees what MPI
// guarantees, and no more.
//
// Messages of a pair arrive in order, those of several senders in any order. A send completes at once or when its
// message is received, and only then its bytes are read. Completions are reported late. A seed decides all of it;
// with an even one, the nodes share no memory.
//
// Threads     any thread, as with MPI_THREAD_MULTIPLE. One job at a time.
#pragma once

#include <cstdint>

#include "net/mpi/mpi_calls.hpp"

namespace stretto::net {

struct fake_mpi {
  static constexpr int most_nodes = 4;

  /// Starts a new job and drops the previous one.
  static void begin(int nodes, std::uint64_t seed, mpi::threads level = mpi::threads::multiple);
  /// From now on it reports support for memory of CUDA devices, until the next job begins.
  static void take_cuda_memory();
  static const mpi::calls& of_node(int node);
  /// From now on that node's sends fail.
  static void break_sends_of(int node);
  /// Whether that node has aborted the job.
  static bool has_aborted(int node);
  /// The number of header messages that the node has sent.
  static std::uint64_t sent(int node);
  /// The addresses of the node's last send and receive on the bulk channel.
  struct bulk_addresses {
    const void *sent_from = nullptr, *received_at = nullptr;
  };
  static bulk_addresses bulk(int node);
};

}  // namespace stretto::net
