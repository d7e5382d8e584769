#include "sched/stepped_execution.hpp"

#include <sched.h>

#include "event/event_floor.hpp"
#include "sched/lease_state.hpp"
#include "sched/poll_coordinator.hpp"
#include "sched/scope_counting.hpp"
#include "sched/step_aside.hpp"
#include "sched/work_search.hpp"

namespace stretto::sched {
namespace {

std::uint64_t draw(scheduler& owner) noexcept {
  auto& r = owner.step_random;
  r ^= r << 13;
  r ^= r >> 7;
  r ^= r << 17;
  return r >> 11;
}

/// From now on the thread acts as another worker, on its current stack.
void become(worker& before, worker& next) {
  if (&before == &next) return;
  next.running_on = before.running_on;
  next.stack_floor = before.stack_floor;
  next.own_stack_bottom = before.own_stack_bottom;
  next.own_stack_bytes = before.own_stack_bytes;
  next.own_fiber = before.own_fiber;
  next.thread_stack = before.thread_stack;
  base::set_current(&next);
  if (!next.scope) enter_scope(next, next.owner->root);
}

}  // namespace

item draw_step(worker*& w) {
  scheduler& owner = *w->owner;
  const std::size_t count = owner.workers.size();
  for (;;) {
    if (owner.steps_left == 0) return 0;
    const std::size_t start = draw(owner) % count;
    const bool own_first = draw(owner) % 4 != 0;
    for (std::size_t k = 0; k < count; ++k) {
      worker& v = *owner.workers[(start + k) % count];
      item i = is_to_step_aside(v) ? item_of_lease(v) : 0;
      if (!i && is_to_step_aside(v)) continue;
      if (!i) i = own_first ? next_local(v) : steal(v);
      if (!i) i = own_first ? steal(v) : next_local(v);
      if (!i) continue;
      become(*w, v);
      w = &v;
      if (owner.steps_left != ~std::uint64_t{0}) --owner.steps_left;
      return i;
    }
    if (owner.waiting_count.load(std::memory_order_relaxed) && settle_waiting_scopes(*w)) continue;
    if (owner.polls && owner.polls->poll_idle(*w)) continue;
    if (owner.steps_left != ~std::uint64_t{0}) return 0;  // step() reports that nothing is ready
    // Inside run, or at the end of the runtime. Only a pending operation or an attached thread could make something
    // ready. At the end threads of modules may still be attached; their operations in progress are counted.
    bool others = false;
    if (!owner.draining.load(std::memory_order_relaxed)) {
      std::scoped_lock lock(owner.attach_mutex);
      others = !owner.attached.empty();
    }
    if (others || owner.outside.load(std::memory_order_seq_cst) || (owner.polls && owner.polls->any_pending()))
      sched_yield();
    else detail::poison_untriggered(*w);
  }
}

}  // namespace stretto::sched
