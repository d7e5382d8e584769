// reply_batcher.hpp - answers that say no more than that a letter has been handled, and all that it has spawned: in a flood they wait for
// one another, and go to their node as one message.
//
// A lone answer goes at once. Those behind the first few that follow one another to one node within 2 us wait: until there are enough for
// a message, one comes after a pause, no handler of another node's letters is left that might add one, or this node polls. In a runtime
// that is stepped time does not pass, and every one waits.
//
// While some wait, the node is not idle (dist::job::is_landing).
//
// Threads     any; lost: who polls.
// Invariants  (1) each answer is taken once, or its node is lost.
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
  /// The job has started. `wait_always`: whatever the time.
  void start(bool always_batch);

  /// Not at all: it is to go at once. Last: so are all that waited, of which it is one; `taken` has them.
  enum class add_result : std::uint8_t { send_now, opened_batch, joined_batch, filled_batch };
  add_result add(dist::rank to, std::uint64_t request, batch& taken) noexcept;
  /// Those that wait for node `to`. Whoever has taken some says end() once they are sent.
  batch take_batch(dist::rank to) noexcept;
  void batch_sent() noexcept { job_.end_landing(); }

  bool is_empty() const noexcept { return !open_batches_.load(std::memory_order_acquire); }
  /// send(to, batch) for each node for which some wait now.
  template <class F>
  void flush(F&& send) {
    if (is_empty()) return;
    dist::rank to = 0;
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
    std::uint32_t quick_in_a_row = 0;  // in a row, each soon after the one before
    bool is_listed = false;
    batch open;
  };
  /// Requires the lock.
  void take_batch(peer& p, batch& to) noexcept;
  std::size_t listed_nodes() noexcept;
  bool next_listed(dist::rank& to) noexcept;

  dist::job& job_;
  std::unique_ptr<peer[]> peers_;
  trace::ticks soon_ticks_ = 0;
  bool always_batches_ = false;
  std::atomic<std::uint32_t> open_batches_{0};  // nodes for which some wait
  base::spin_lock nodes_lock_;  // behind a peer's
  std::vector<dist::rank> nodes_to_flush_;  // for whom some may wait, each once
};

}  // namespace stretto::mobiles
