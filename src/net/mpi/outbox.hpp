// outbox.hpp - sends packets to the nodes of a job: with credit, in order, and several in one MPI message if they come
// quickly.
//
// A single packet is passed to MPI before post() returns. A flood is a series of packets to one node, each within 2 us
// of the one before. Packets behind the first few of a flood wait for more, until one of these happens: an MPI message
// is full; a packet comes after a pause; a packet comes when the first has waited for 10 us; post_waiting() is called,
// which every poll does. Packets without credit wait, too, and are packed in the same way.
//
// Threads     the thread that holds the transport's lock.
// Invariants  (1) packets that take credit are sent in the order in which they were posted. (2) a node has at most
//             `credits` MPI messages of another node that it has not handled. (3) all packets of an MPI message take
//             credit, or none does.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "net/mpi/mpi_calls.hpp"
#include "net/mpi/packet.hpp"
#include "trace/clock.hpp"

namespace stretto::net::mpi {

/// Throws N07 with MPI's error text and the operation in progress; `under_way` is empty if that is unknown.
[[noreturn]] void mpi_failed(const char* fault, const std::string& under_way = {});
/// Throws N07 if MPI has returned an error text.
inline void must(const char* fault) {
  if (fault) [[unlikely]]
    mpi_failed(fault);
}

constexpr bool takes_credit(packet_kind k) noexcept {
  return k == packet_kind::eager || k == packet_kind::offer || k == packet_kind::channel_payload;
}

/// Whether this thread may call MPI; with FUNNELED only one thread may.
enum class calling { allowed, not_allowed };

class outbox {
 public:
  /// `all`: the handlers, to name a message that cannot be sent.
  outbox(const calls& mpi, const handlers& all, int nodes);

  /// Posts a packet with at most most_head_bytes and most_eager_bytes; both parts are copied.
  void post(node_number to, packet_kind kind, handler_number handler, std::span<const std::byte> head,
            std::span<const std::byte> rest, calling may);
  /// Sends the waiting packets, as far as there is credit.
  void post_waiting() {
    if (!marked_.empty()) post_marked();
  }
  /// Tests the sends in progress, to a few nodes each time.
  void test() {
    if (!sends_to_.empty()) test_sending();
  }
  /// No send is in progress.
  bool is_empty() const noexcept { return sends_to_.empty(); }

  /// Bytes of waiting packets. Any thread.
  std::uint64_t outstanding_bytes() const noexcept { return outstanding_bytes_.load(std::memory_order_relaxed); }
  /// That node has handled `returned` more MPI messages. Sends packets that waited for credit.
  void on_credit(node_number from, std::uint32_t returned);
  /// Counts a credit that this node owes `from`, since it has handled an MPI message of that node. True: return the
  /// credits now, by a message of their own.
  bool count_owed_credit(node_number from) noexcept { return ++peers_[from].to_return >= credits / 2; }

 private:
  struct mpi_message {
    std::vector<std::byte> bytes;  // most_packet_bytes
    std::size_t used = 0;
    node_number to = 0;
    bool takes_credit = false;
    request is = {};

    bool has_room_for(std::size_t packet_bytes) const noexcept {
      return next_packet(used) + packet_bytes <= most_shared_bytes;
    }
    void add(packet_front front, std::span<const std::byte> head, std::span<const std::byte> rest) noexcept;
  };
  struct peer {
    std::uint32_t credit = credits, to_return = 0;
    std::deque<mpi_message> waiting;          // the last may have room
    std::deque<mpi_message> sending;          // MPI ends them about in order; their bytes do not move
    trace::ticks last_posted = 0, begun = 0;  // the last message, and the last of `waiting`
    std::uint32_t posted_soon = 0;            // in a row, each soon after the one before
    bool is_marked = false;
  };

  mpi_message make_message(node_number to);
  void add_waiting_packet(mpi_message& l, packet_front front, std::span<const std::byte> head,
                          std::span<const std::byte> rest) noexcept;
  void send(mpi_message&& l);
  void post_waiting(peer& p);
  void post_marked();
  void test_sending();
  bool is_flooded(peer& p, trace::ticks now) const noexcept;
  void keep(std::vector<std::byte>&& memory);
  /// Throws N07 with the node and the first handler, if MPI has returned an error text.
  void must_send(const mpi_message& l, const char* fault) const {
    if (fault) [[unlikely]]
      not_sent(l, fault);
  }
  [[noreturn]] void not_sent(const mpi_message& l, const char* fault) const;

  const calls& mpi_;
  const handlers& handlers_;
  const trace::ticks soon_, long_;
  std::vector<peer> peers_;
  std::vector<node_number> marked_;   // nodes for which packets may wait
  std::deque<node_number> sends_to_;  // nodes whose `sending` is not empty
  std::vector<std::vector<std::byte>> spare_;
  std::atomic<std::uint64_t> outstanding_bytes_{0};  // written under the lock
};

}  // namespace stretto::net::mpi
