// bulk_traffic.hpp - large payloads by rendezvous over MPI. The sender offers a payload; the receiver posts receives
// and requests it; MPI sends it from the sender's memory directly to the target.
//
// Threads     the thread that holds the transport's lock, except outstanding_bytes().
// Invariants  (1) each completion that is passed to a call is added to `ended` once, or returned by end_all.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <span>
#include <vector>

#include "net/mpi/mpi_calls.hpp"
#include "net/mpi/packet.hpp"
#include "net/mpi/transfer_activity.hpp"
#include "net/transport.hpp"

namespace stretto::net::mpi {

class bulk_traffic {
 public:
  bulk_traffic(const calls& mpi, int most_tag, transfer_activity& activity)
      : mpi_(mpi), most_tag_(most_tag), activity_(activity) {}

  /// Keeps the payload until the receiver requests or drops it. Without `sent`, keeps a copy.
  offer_note offer(std::span<const std::byte> payload, places::completion* sent);
  /// The receiver has dropped the offer: ends it without sending.
  void drop(std::uint64_t transfer, std::vector<places::completion*>& ended);
  /// The receiver has requested the payload: sends it with the receiver's tag.
  void send(node_number to, std::uint64_t transfer, int tag);
  /// Posts the receives for a payload of `from`. Returns their tag; the caller must send it to that node, which then
  /// sends the payload.
  int receive(node_number from, std::uint64_t bytes, std::byte* target, places::completion& landed);
  /// Tests the sends and receives in progress; adds the completions of those that have ended.
  void test(std::vector<places::completion*>& ended);

  /// No send or receive is in progress.
  bool is_empty() const noexcept { return in_transfer_.empty(); }
  /// Returns the completions of all transfers that have not ended and never will. MPI may still read and write while
  /// this object lives.
  void end_all(std::vector<places::completion*>& all);
  /// Bytes of payload copies. Any thread.
  std::uint64_t outstanding_bytes() const noexcept { return outstanding_bytes_.load(std::memory_order_relaxed); }

 private:
  struct pending_offer {
    std::span<const std::byte> bytes;
    std::vector<std::byte> copied;
    places::completion* sent;
  };
  /// A payload in transfer, in pieces.
  struct bulk {
    std::vector<request> pieces = {};
    std::size_t next = 0;  // index of the first piece that has not ended
    places::completion* done;
    std::vector<std::byte> copied = {};  // the payload, if this object owns it
  };

  bool has_ended(bulk& b);
  /// Calls f(offset, bytes) for each piece: MPI counts in int.
  template <class F>
  static void for_pieces(std::uint64_t bytes, F&& f) {
    for (std::uint64_t at = 0; at < bytes; at += piece_bytes)
      f(at, bytes - at < piece_bytes ? bytes - at : piece_bytes);
  }

  const calls& mpi_;
  const int most_tag_;
  transfer_activity& activity_;
  int next_tag_ = 0;
  std::uint64_t transfers_ = 0;
  std::map<std::uint64_t, pending_offer> offers_;
  std::list<bulk> in_transfer_;
  std::atomic<std::uint64_t> outstanding_bytes_{0};
};

}  // namespace stretto::net::mpi
