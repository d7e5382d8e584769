// mpi_transport.hpp - messages over any MPI: small payloads in the head's own message, large ones straight into their place, or, between
// processes of one host, by memory that they share.
//
// Receives from anybody are posted ahead in a ring of persistent ones, so that nothing is probed for. A node holds at most 64
// messages that another sent and it has not looked at: credits go back with what travels the other way, or alone.
//
// Threads     with MPI_THREAD_MULTIPLE or SERIALIZED every thread may call anything: one lock goes round each call of
//             MPI. With SERIALIZED that is mpi_mutex(), which the program holds, too; with MULTIPLE a lock of this
//             transport. With FUNNELED only the thread that started MPI calls it: what others send waits for that
//             thread's next poll.
// Invariants  (1) never a call that waits, but at start and end, and to make a communicator.
//             (2) with MULTIPLE nothing here waits for a thread of the program that is in a call of MPI.
// Source      credits and rendezvous as in MPI libraries' own eager protocols; persistent rings measured in Open MPI 4.1.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "net/mpi/mpi_calls.hpp"
#include "net/transport.hpp"

namespace stretto::net::mpi {

inline constexpr std::uint64_t default_channel_memory = std::uint64_t{16} << 20;

/// Collective. Starts MPI if the program has not. Throws N06 (other handlers elsewhere), N07 (MPI said no) or N09 (the
/// launcher is of another MPI), on every node. Its destruction is collective too: nothing may be under way then.
/// `lane_memory`: bytes that this process shares with others of its host, through which large payloads go to them; 0: MPI moves them.
std::unique_ptr<transport> make(const calls& mpi, handlers& all, threads wanted = threads::serialized,
                                std::uint64_t channel_memory = default_channel_memory);


/// As transport::communicator, of the job that this process is in over MPI, or else of this process alone, which
/// starts MPI. Throws N30.
void copy_communicator(const calls& mpi, std::uint32_t group, std::span<std::byte> handle);

}  // namespace stretto::net::mpi
