// periodic_balancing.hpp - periodic balancing rounds: the option `balance`.
//
// The first node that has not failed runs rounds over all objects, one after another, until its own program has ended;
// a job could not detect its end while nodes begin rounds by themselves. With the policy `stealing` it tells each node
// that it may steal: a node with little work asks two random nodes for their loads and takes objects from the more
// loaded one.
//
// Threads     start: the thread that makes the runtime. advance: inside a poll.
// Source      Choice of two random victims: Mitzenmacher, "The power of two choices in randomized load balancing", 2001
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "dist/job.hpp"

namespace stretto::mobiles {

/// Named as the values of the option `balance`.
enum class policy : std::uint8_t { none, greedy, refine, diffusion, stealing };

class periodic_balancing {
 public:
  /// Begins a round with a random number; calls `on_done` once, with the load that was found.
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
  /// After rounds without load the next round begins later.
  void end(double load) noexcept;

  dist::job* const job_;
  round begin_ = nullptr;  // null: no periodic balancing
  policy policy_ = policy::none;
  std::chrono::milliseconds pause_{0};
  std::uint64_t random_ = 0;               // used inside a poll
  std::atomic<bool> is_under_way_{false};  // of this node; while true, the two members below belong to the round
  clock::time_point due_;
  unsigned idle_rounds_ = 0;
};

}  // namespace stretto::mobiles
