// reply_batcher.hpp - batches of short replies. A short reply reports only that a message has been handled and that all
// that its handler spawned has ended. In a flood of messages, short replies to one node are sent as one message.
//
// A single reply is sent at once. After four replies to a node in a row, each within 2 us of the one before, further
// replies to it are batched. A batch is sent when it is full, with the first reply that comes after a pause, when no
// other handler for another node runs that might add to it, or when this node polls. A stepped runtime, in which time
// does not pass, batches every short reply.
//
// While a batch is open, the node does not count as idle (dist::job::has_incoming_data).
//
// Threads     Any; on_node_failed: the polling thread.
// Invariants  (1) Each reply is taken once, or its receiver has failed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/spin_lock.hpp"
#include "dist/job.hpp"
#include "trace/clock.hpp"

namespace stretto::mobiles {

class reply_batcher {
 public:
  static constexpr std::uint32_t max_replies = 32;
  struct batch {
    std::array<std::uint64_t, max_replies> requests;
    std::uint32_t count = 0;
    std::span<const std::uint64_t> all() const noexcept { return {requests.data(), count}; }
  };

  explicit reply_batcher(dist::job& j) noexcept : job_(j) {}
  /// Call when the job has started. `always_batch`: also the first replies, and whatever the pauses.
  void start(bool always_batch);

  /// send_now: the reply belongs to no batch, and the caller sends it. filled_batch: the batch is due; `taken` has all
  /// of it, with this reply. The caller sends it and calls batch_sent().
  enum class add_result : std::uint8_t { send_now, opened_batch, joined_batch, filled_batch };
  add_result add(dist::rank to, std::uint64_t request, batch& taken) noexcept;
  /// The open batch for node `to`. After sending one that is not empty, call batch_sent().
  batch take_batch(dist::rank to) noexcept;
  void batch_sent() noexcept { job_.end_incoming(); }

  bool is_empty() const noexcept { return !open_batches_.load(std::memory_order_acquire); }
  /// Calls send(to, batch) for each node that has an open batch now.
  template <class F>
  void flush(F&& send) {
    if (is_empty()) return;
    dist::rank to = 0;
    // Not the nodes that are listed meanwhile: other threads might go on adding replies for ever.
    for (std::size_t nodes = listed_nodes(); nodes && next_listed(to); --nodes)
      if (const batch b = take_batch(to); b.count) {
        send(to, b);
        batch_sent();
      }
  }
  void on_node_failed(dist::rank node) noexcept {
    if (take_batch(node).count) batch_sent();
  }

 private:
  struct alignas(64) peer {
    base::spin_lock lock;
    trace::ticks last_reply_ticks = 0;
    std::uint32_t quick_in_a_row = 0;  // replies, each soon after the one before
    bool is_listed = false;            // in nodes_to_flush_
    batch open;
  };
  /// Requires the lock of the peer.
  void take_batch(peer& p, batch& to) noexcept;
  std::size_t listed_nodes() noexcept;
  /// Takes the next node off the list. False if there is none.
  bool next_listed(dist::rank& to) noexcept;

  dist::job& job_;
  std::unique_ptr<peer[]> peers_;  // by rank
  trace::ticks soon_ticks_ = 0;    // a reply within this time of the one before belongs to a flood
  bool always_batches_ = false;
  std::atomic<std::uint32_t> open_batches_{0};
  base::spin_lock nodes_lock_;              // locked after that of a peer
  std::vector<dist::rank> nodes_to_flush_;  // nodes that may have an open batch, each once
};

}  // namespace stretto::mobiles
