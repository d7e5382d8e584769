// periodic_balancing.hpp - rounds of balancing that nobody asked for: the option `balance`.
//
// The first node that is not lost makes rounds over all objects, one after another, until its own program has ended: a job could not find
// its end while nodes begin something by themselves. Where nodes steal it tells each that it may: who had little to do lately asks
// two others, drawn by chance, what their objects cost, and takes from the one that has more.
//
// Threads     start: the thread that makes the runtime. advance: inside a poll.
// Source      asking two at random: Mitzenmacher, "The power of two choices in randomized load balancing", 2001
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "dist/job.hpp"

namespace stretto::mobiles {

/// As the option names them.
enum class policy : std::uint8_t { none, greedy, refine, diffusion, stealing };

class periodic_balancing {
 public:
  /// Begins a round, with a number drawn for it; calls `over` once, with how much load there was.
  using round = void (*)(policy p, std::uint64_t draw, std::function<void(double)> on_done);

  explicit periodic_balancing(dist::job* j) noexcept : job_(j) {}
  void start(round begin, policy p, std::uint64_t period_ms, std::uint64_t seed) noexcept;
  void advance(base::thread_context& context) {
    if (begin_) [[unlikely]]
      begin_if_due(context);
  }

 private:
  using clock = std::chrono::steady_clock;
  void begin_if_due(base::thread_context& context);
  /// Where there was nothing to balance the next round comes later.
  void end(double load) noexcept;

  dist::job* const job_;
  round begin_ = nullptr;  // null: not by itself
  policy policy_ = policy::none;
  std::chrono::milliseconds pause_{0};
  std::uint64_t random_ = 0;             // inside a poll
  std::atomic<bool> is_under_way_{false};  // a round of this node's; while it is, the next two are the round's
  clock::time_point due_;
  unsigned idle_rounds_ = 0;
};

}  // namespace stretto::mobiles
