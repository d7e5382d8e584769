#include "sched/spare_workers.hpp"

#include <algorithm>
#include <utility>

#include "base/futex.hpp"
#include "sched/step_aside.hpp"
#include "sched/work_search.hpp"

namespace stretto::sched {
namespace {

constexpr std::int64_t shortest_nap_ns = 50'000, longest_nap_ns = 1'000'000;

void set_running(worker& w, bool runs) noexcept {
  if (std::exchange(w.is_spare_running, runs) == runs) return;
  runs ? w.owner->outside_began() : w.owner->outside_ended();
}

item find_as_spare(worker& w) {
  if (!is_to_step_aside(w)) {
    if (const item i = next_local(w)) return i;
    return steal(w);
  }
  if (w.paused_spawner) return std::exchange(w.paused_spawner, nullptr)->as_item();
  give_tasks_back(w);
  return next_of_own(w);  // what must run here
}

}  // namespace

void want_spares(scheduler& owner, std::uint32_t count) noexcept {
  count = std::min(count, static_cast<std::uint32_t>(owner.spares.size()));
  if (owner.wanted_spares.exchange(count, std::memory_order_seq_cst) != count) owner.call_spares();
}

item wait_as_spare(worker& w) {
  scheduler& owner = *w.owner;
  w.current = nullptr;  // for reports
  for (std::int64_t nap = shortest_nap_ns;; nap = std::min(2 * nap, longest_nap_ns)) {
    const std::uint32_t seen = owner.spare_calls.load(std::memory_order_seq_cst);
    set_running(w, true);
    if (const item i = find_as_spare(w)) return i;
    const bool is_wanted = !is_to_step_aside(w);
    if (!is_wanted) set_running(w, false);
    if (owner.stop.load(std::memory_order_seq_cst)) {
      set_running(w, false);
      return 0;
    }
    if (is_wanted) base::futex_wait_for(owner.spare_calls, seen, nap);
    else base::futex_wait(owner.spare_calls, seen);
  }
}

}  // namespace stretto::sched
