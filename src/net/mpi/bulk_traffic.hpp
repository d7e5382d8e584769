// bulk_traffic.hpp - the large payloads that MPI moves: offered, asked for, and sent straight from where they lie to where they shall be.
//
// Threads     of whoever holds the transport's lock, but for held().
// Invariants  (1) a completion that a call took is in `ended` once, or in what end_all gives back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <span>
#include <vector>

#include "net/mpi/transfer_activity.hpp"
#include "net/mpi/mpi_calls.hpp"
#include "net/mpi/packet.hpp"
#include "net/transport.hpp"

namespace stretto::net::mpi {

class bulk_traffic {
 public:
  bulk_traffic(const calls& mpi, int most_tag, transfer_activity& activity) : mpi_(mpi), most_tag_(most_tag), activity_(activity) {}

  /// Keeps the payload until it is asked for or dropped; a copy of it, unless `sent` is to be told.
  offer_note offer(std::span<const std::byte> payload, places::completion* sent);
  /// Who offered it does not send it, and nobody is waited for.
  void drop(std::uint64_t transfer, std::vector<places::completion*>& ended);
  /// It is asked for, with a tag of the receiver's.
  void send(node_number to, std::uint64_t transfer, int tag);
  /// Of `from`, which has to be asked for it: with the tag that this returns.
  int receive(node_number from, std::uint64_t bytes, std::byte* target, places::completion& landed);
  /// Learns what has ended.
  void test(std::vector<places::completion*>& ended);

  /// Nothing is in MPI's hands.
  bool is_empty() const noexcept { return moving_.empty(); }
  /// What has not gone or come: never will. MPI may still read and write for as long as this lives.
  void end_all(std::vector<places::completion*>& all);
  /// Bytes of copies. Any thread.
  std::uint64_t outstanding_bytes() const noexcept { return outstanding_bytes_.load(std::memory_order_relaxed); }

 private:
  struct offered {
    std::span<const std::byte> bytes;
    std::vector<std::byte> copied;
    places::completion* sent;
  };
  /// Pieces of a payload.
  struct bulk {
    std::vector<request> pieces = {};
    std::size_t next = 0;  // the first that has not ended
    places::completion* done;
    std::vector<std::byte> copied = {};  // kept until the last has gone
  };

  bool has_ended(bulk& b);
  /// By their sizes: MPI counts in int.
  template <class F>
  static void for_pieces(std::uint64_t bytes, F&& f) {
    for (std::uint64_t at = 0; at < bytes; at += piece_bytes) f(at, bytes - at < piece_bytes ? bytes - at : piece_bytes);
  }

  const calls& mpi_;
  const int most_tag_;
  transfer_activity& activity_;
  int next_tag_ = 0;
  std::uint64_t transfers_ = 0;
  std::map<std::uint64_t, offered> offers_;
  std::list<bulk> moving_;
  std::atomic<std::uint64_t> outstanding_bytes_{0};
};

}  // namespace stretto::net::mpi
