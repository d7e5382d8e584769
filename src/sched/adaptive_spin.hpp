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

class looking {
 public:
  /// Nanoseconds. Where both are the same, always as long.
  constexpr looking(std::uint64_t least, std::uint64_t most) noexcept : least_(least), most_(std::max(least, most)), now_(least) {}

  constexpr std::uint64_t how_long() const noexcept { return now_; }
  constexpr std::uint64_t least() const noexcept { return least_; }
  constexpr bool adapts() const noexcept { return least_ < most_; }

  /// From when it began to look, or something came last, until it found something, sleep and all.
  constexpr void waited(std::uint64_t nanoseconds) noexcept {
    if (nanoseconds > 2 * most_)  // who sleeps is late, and so makes others wait: less than half of it may be inherent
      now_ = std::max(least_, now_ / 2);
    else
      now_ = std::min(most_, std::max({least_, now_ - now_ / 16, 2 * nanoseconds}));
  }

 private:
  std::uint64_t least_, most_, now_;
};

}  // namespace stretto::sched
