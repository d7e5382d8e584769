#include "sched/step_aside.hpp"

namespace stretto::sched {
namespace {

void put_back(scheduler& owner, item i) noexcept {
  suspension* const s = suspension_in(i);
  const std::uint16_t place = s ? no_place : task_in(i)->place;
  inbox& to = place == no_place ? owner.anywhere : owner.injected[place];
  to.put(s ? s->link : task_in(i)->link, s != nullptr);
}

}  // namespace

void give_tasks_back(worker& w) noexcept {
  bool any = false;
  for (auto& at : w.queues)
    if (deque* const queue = at.load(std::memory_order_relaxed))
      while (const item i = queue->pop()) {
        put_back(*w.owner, i);
        any = true;
      }
  if (any || !w.urgent.is_empty()) w.owner->wake_all();
}

}  // namespace stretto::sched
