// outbox.hpp - packets on their way to the nodes of a job: with credit, in order, and several in one message of MPI where they come
// quickly.
//
// A lone message is MPI's before post returns. In a flood, messages to one node that follow one another within 2 us, those behind the
// first few wait for more: until there are enough for a message of MPI, one comes after a pause, the first has waited for 10 us when
// another comes, or post_waiting is called, which every poll does. What has no credit waits too, and is packed alike.
//
// Threads     of whoever holds the transport's lock.
// Invariants  (1) packets that take credit go in the order in which they were posted. (2) a node has at most `credits` messages that
//             another sent and it has not looked at. (3) all packets of a message take credit, or none.
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

/// N07: what MPI says, and what was under way then; empty: nothing that can be named.
[[noreturn]] void mpi_failed(const char* fault, const std::string& under_way = {});
/// Throws N07 if MPI says something.
inline void must(const char* fault) {
  if (fault) [[unlikely]] mpi_failed(fault);
}

constexpr bool takes_credit(packet_kind k) noexcept { return k == packet_kind::eager || k == packet_kind::offer || k == packet_kind::in_channel; }

/// Whether MPI may be called here; with FUNNELED one thread may.
enum class calling { allowed, not_allowed };

class outbox {
 public:
  /// `all` names what cannot be sent.
  outbox(const calls& mpi, const handlers& all, int nodes);

  /// At most most_head_bytes and most_eager_bytes; both are copied.
  void post(node_number to, packet_kind kind, handler_number handler, std::span<const std::byte> head, std::span<const std::byte> rest,
            calling may);
  /// All that waits, as far as there is credit.
  void post_waiting() {
    if (!marked_.empty()) post_marked();
  }
  /// Learns what MPI has sent, to a few nodes each time.
  void test() {
    if (!sends_to_.empty()) test_sending();
  }
  /// Nothing is in MPI's hands.
  bool is_empty() const noexcept { return sends_to_.empty(); }

  /// Bytes that wait here, for credit or for company. Any thread.
  std::uint64_t outstanding_bytes() const noexcept { return outstanding_bytes_.load(std::memory_order_relaxed); }
  /// That node has looked at so many messages: what waits for it may go.
  void credit_came(node_number from, std::uint32_t returned);
  /// This node has looked at a message of that one, which shall know it some time; true: soon, by a message of its own.
  bool owes_credit(node_number from) noexcept { return ++peers_[from].to_return >= credits / 2; }

 private:
  struct mpi_message {
    std::vector<std::byte> bytes;  // most_packet_bytes
    std::size_t used = 0;
    node_number to = 0;
    bool takes_credit = false;
    request is = {};

    bool has_room_for(std::size_t packet_bytes) const noexcept { return next_packet(used) + packet_bytes <= most_shared_bytes; }
    void add(packet_front front, std::span<const std::byte> head, std::span<const std::byte> rest) noexcept;
  };
  struct peer {
    std::uint32_t credit = credits, to_return = 0;
    std::deque<mpi_message> waiting;  // the last may have room
    std::deque<mpi_message> sending;  // MPI ends them about in order; their bytes do not move
    trace::ticks last_posted = 0, begun = 0;  // the last message, and the last of `waiting`
    std::uint32_t posted_soon = 0;  // in a row, each soon after the one before
    bool is_marked = false;
  };

  mpi_message make_message(node_number to);
  void add_waiting_packet(mpi_message& l, packet_front front, std::span<const std::byte> head, std::span<const std::byte> rest) noexcept;
  void send(mpi_message&& l);
  void post_waiting(peer& p);
  void post_marked();
  void test_sending();
  bool is_flooded(peer& p, trace::ticks now) const noexcept;
  void keep(std::vector<std::byte>&& memory);
  /// Throws N07 with the node and the first handler, if MPI says something.
  void must_send(const mpi_message& l, const char* fault) const {
    if (fault) [[unlikely]] not_sent(l, fault);
  }
  [[noreturn]] void not_sent(const mpi_message& l, const char* fault) const;

  const calls& mpi_;
  const handlers& handlers_;
  const trace::ticks soon_, long_;
  std::vector<peer> peers_;
  std::vector<node_number> marked_;  // for whom something may wait
  std::deque<node_number> sends_to_;  // whose `sending` is not empty
  std::vector<std::vector<std::byte>> spare_;
  std::atomic<std::uint64_t> outstanding_bytes_{0};  // written under the lock
};

}  // namespace stretto::net::mpi
