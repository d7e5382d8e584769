// short_answers.hpp - answers that say no more than that a letter has been handled, and all that it has spawned: in a flood they wait for
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

class short_answers {
 public:
  static constexpr std::uint32_t most = 32;
  struct batch {
    std::array<std::uint64_t, most> requests;
    std::uint32_t count = 0;
    std::span<const std::uint64_t> all() const noexcept { return {requests.data(), count}; }
  };

  explicit short_answers(dist::job& j) noexcept : job_(j) {}
  /// The job has started. `wait_always`: whatever the time.
  void serve(bool wait_always);

  /// Not at all: it is to go at once. Last: so are all that waited, of which it is one; `taken` has them.
  enum class added : std::uint8_t { not_at_all, first, another, last };
  added add(dist::rank to, std::uint64_t request, batch& taken) noexcept;
  /// Those that wait for node `to`. Whoever has taken some says end() once they are sent.
  batch take(dist::rank to) noexcept;
  void end() noexcept { job_.end_incoming(); }

  bool is_empty() const noexcept { return !waiting_.load(std::memory_order_acquire); }
  /// send(to, batch) for each node for which some wait now.
  template <class F>
  void take_all(F&& send) {
    if (is_empty()) return;
    dist::rank to = 0;
    for (std::size_t nodes = marked(); nodes && next_marked(to); --nodes)
      if (const batch b = take(to); b.count) {
        send(to, b);
        end();
      }
  }
  void lost(dist::rank node) noexcept {
    if (take(node).count) end();
  }

 private:
  struct alignas(64) peer {
    base::spin_lock lock;
    trace::ticks last = 0;
    std::uint32_t soon = 0;  // in a row, each soon after the one before
    bool is_marked = false;
    batch waits;
  };
  /// Requires the lock.
  void take(peer& p, batch& to) noexcept;
  std::size_t marked() noexcept;
  bool next_marked(dist::rank& to) noexcept;

  dist::job& job_;
  std::unique_ptr<peer[]> peers_;
  trace::ticks soon_ = 0;
  bool waits_always_ = false;
  std::atomic<std::uint32_t> waiting_{0};  // nodes for which some wait
  base::spin_lock marked_lock_;  // behind a peer's
  std::vector<dist::rank> marked_;  // for whom some may wait, each once
};

}  // namespace stretto::mobiles
