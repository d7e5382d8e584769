// mpi_transport.hpp - messages over any MPI. Small payloads travel with the head; large ones go directly to their
// target, or, between processes of one host, through shared memory.
//
// A ring of persistent receives from any node is posted ahead, so that nothing is probed. A node has at most 64
// messages of another node that it has not handled. It returns credits with messages in the other direction, or alone.
//
// Threads     with MPI_THREAD_MULTIPLE or SERIALIZED every thread may call anything; a lock is held around each MPI
//             call. With SERIALIZED that is mpi_mutex(), which the program takes, too; with MULTIPLE a lock of this
//             transport. With FUNNELED only the thread that started MPI calls it: messages of other threads wait for
//             that thread's next poll.
// Invariants  (1) no MPI call blocks, except at start and end, and to make a communicator.
//             (2) with MULTIPLE nothing here waits for a thread of the program that is inside an MPI call.
// Source      credits and rendezvous as in MPI libraries' own eager protocols; persistent rings measured in Open MPI
//             4.1.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "net/mpi/mpi_calls.hpp"
#include "net/transport.hpp"

namespace stretto::net::mpi {

inline constexpr std::uint64_t default_channel_memory = std::uint64_t{16} << 20;

/// Collective. Starts MPI if the program has not. Throws on every node: N06 or N15 (nodes do not agree), N07 (MPI
/// failed) or N09 (the launcher belongs to another MPI). The destruction of the transport is collective, too; no
/// message may be in transfer then. `channel_memory`: bytes that this process shares with others of its host for large
/// payloads; with 0, MPI moves these.
std::unique_ptr<transport> make(const calls& mpi, handlers& all, threads wanted = threads::serialized,
                                std::uint64_t channel_memory = default_channel_memory);

/// As transport::communicator, for the MPI job of this process. Without a job, starts MPI and returns a communicator of
/// this process alone. Throws N30.
void copy_communicator(const calls& mpi, std::uint32_t group, std::span<std::byte> handle);

}  // namespace stretto::net::mpi
