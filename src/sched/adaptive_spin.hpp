// adaptive_spin.hpp - adaptive spinning: how long an idle worker polls before it sleeps.
//
// MPI cannot wake a sleeping worker. A sleeping worker sees a message late: by the rest of a service-thread pause plus
// one wake-up. In programs whose nodes wait for each other in every step, each node then delays the next. A worker
// therefore polls for twice as long as its last wait took. A wait of more than twice `max_ns` halves the spin time, and
// short waits let it decay, so a worker wastes at most `max_ns`, then half of that, and so on.
//
// Threads     its worker's.
// Source      spinning for as long as the last waits took: Karlin, Li, Manasse, Owicki, "Empirical studies of
//             competitive spinning for a shared-memory multiprocessor", 1991.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stretto::sched {

class adaptive_spin {
 public:
  /// If `max_ns` is not above `min_ns`, the spin time is always `min_ns`.
  constexpr adaptive_spin(std::uint64_t min_ns, std::uint64_t max_ns) noexcept
      : min_ns_(min_ns), max_ns_(std::max(min_ns, max_ns)), spin_ns_(min_ns) {}

  constexpr std::uint64_t spin_ns() const noexcept { return spin_ns_; }
  constexpr std::uint64_t min_ns() const noexcept { return min_ns_; }
  constexpr bool is_adaptive() const noexcept { return min_ns_ < max_ns_; }

  /// `wait_ns`: from the start of the search to the next find, including sleep.
  constexpr void record_wait(std::uint64_t wait_ns) noexcept {
    if (wait_ns > 2 * max_ns_)  // a sleeping worker makes others wait: less than half of such a wait may be inherent
      spin_ns_ = std::max(min_ns_, spin_ns_ / 2);
    else spin_ns_ = std::min(max_ns_, std::max({min_ns_, spin_ns_ - spin_ns_ / 16, 2 * wait_ns}));
  }

 private:
  std::uint64_t min_ns_, max_ns_, spin_ns_;
};

}  // namespace stretto::sched
