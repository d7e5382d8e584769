// looking.hpp - how long a worker that has found nothing to do looks on before it sleeps.
//
// Where nothing tells of what comes but a poll, who sleeps is late by as much as a pause of the service thread and a waking take; in programs
// whose nodes wait for each other in every step, each is then late for the next. So who has lately waited a little looks for twice as
// long, and who waits for more than twice the most, or hardly at all, soon sleeps as early as ever: at most `most` is looked in vain, then half of it.
//
// Threads     its worker's.
// Source      spinning for as long as the last waits took: Karlin, Li, Manasse, Owicki, "Empirical studies of competitive spinning for a
//             shared-memory multiprocessor", 1991.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stretto::sched {

class adaptive_spin {
 public:
  /// Nanoseconds. Where both are the same, always as long.
  constexpr adaptive_spin(std::uint64_t min_ns, std::uint64_t max_ns) noexcept : min_ns_(min_ns), max_ns_(std::max(min_ns, max_ns)), spin_ns_(min_ns) {}

  constexpr std::uint64_t spin_ns() const noexcept { return spin_ns_; }
  constexpr std::uint64_t min_ns() const noexcept { return min_ns_; }
  constexpr bool is_adaptive() const noexcept { return min_ns_ < max_ns_; }

  /// From when it began to look, or something came last, until it found something, sleep and all.
  constexpr void record_wait(std::uint64_t wait_ns) noexcept {
    if (wait_ns > 2 * max_ns_)  // who sleeps is late, and so makes others wait: less than half of it may be inherent
      spin_ns_ = std::max(min_ns_, spin_ns_ / 2);
    else
      spin_ns_ = std::min(max_ns_, std::max({min_ns_, spin_ns_ - spin_ns_ / 16, 2 * wait_ns}));
  }

 private:
  std::uint64_t min_ns_, max_ns_, spin_ns_;
};

}  // namespace stretto::sched
