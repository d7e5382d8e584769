#include "sched/substitute.hpp"

#include <chrono>
#include <thread>

#include "base/futex.hpp"
#include "sched/work_search.hpp"

namespace stretto::sched {
namespace {

void set_active(scheduler& owner, bool active) noexcept {
  if (std::exchange(owner.substitute->is_active, active) == active) return;
  active ? owner.outside_began() : owner.outside_ended();
}

item find(worker& w, bool is_alone, bool is_late) {
  if (is_alone) {
    if (const item i = next_local(w)) return i;
    return steal(w);
  }
  if (const item i = next_of_own(w)) return i;
  return is_late ? take_submitted(w) : 0;
}

}  // namespace

item wait_as_substitute(worker& w) {
  scheduler& owner = *w.owner;
  substitute_worker& self = *owner.substitute;
  for (;;) {
    const std::uint32_t seen = self.calls.load(std::memory_order_seq_cst);
    set_active(owner, true);
    const bool is_alone = !owner.workers[0]->has_thread.load(std::memory_order_seq_cst);
    if (const item i = find(w, is_alone, self.is_late)) return i;
    set_active(owner, false);
    if (owner.stop.load(std::memory_order_seq_cst)) return 0;
    self.is_late = is_alone ? owner.anything_ready(w) : any_submitted(w);
    if (self.is_late) std::this_thread::sleep_for(std::chrono::nanoseconds(patience_ns));
    else base::futex_wait(self.calls, seen);
  }
}

}  // namespace stretto::sched
