#include "sched/ready_queues.hpp"

#include "base/sanitizers.hpp"
#include "sched/served_task_access.hpp"

namespace stretto::sched {
namespace {

void give_to_server(thread_state& t, task_record& r) noexcept {
  const place where{r.place};
  place_server& server = *t.owner->server_of(r.place);
  t.owner->outside_began();
  served_task task = detail::served_task_access::make(r);
  try {
    server.serve(std::move(task), where);
  } catch (...) {
    if (task) task.fail(std::current_exception());
  }
}

/// Only some workers' paths visit the task's place: puts it where one of them searches, and wakes one that sleeps.
void put_at_place(thread_state& t, task_record& r) noexcept {
  scheduler& owner = *t.owner;
  const item i = reinterpret_cast<item>(&r);
  if (r.flags & task_record::is_urgent) {
    worker& target = owner.a_visitor_of(r.place);
    target.bound_urgent.put(i, r.priority);
    if (&target != &t) owner.wake(target);
  } else if (worker* w = t.as_worker; w && !w->spare_number && owner.reach.visits[w->index][r.place]) {
    w->queue_at(r.place).push(i);
    owner.notify_thieves(r.place);
  } else {
    owner.injected[r.place].put(r.link, false);
    owner.notify_visitors(r.place);
  }
}

void put_near(thread_state& t, task_record& r) noexcept {
  scheduler& owner = *t.owner;
  worker& preferred = *owner.workers[r.place & ~near_worker_bit];
  r.place = no_place;
  if (&preferred == t.as_worker) {
    preferred.default_queue->push(reinterpret_cast<item>(&r));
    owner.notify(preferred);
  } else {
    preferred.nearby.put(r.link, false);
    owner.notify_near(preferred);
  }
}

}  // namespace

void make_ready(thread_state& t, suspension& s) noexcept {
  s.made_ready_by = t.current_id;
  base::announce_release(&s);
  if (s.pinned) {
    worker& target = *s.pinned->as_worker;
    if (&target == &t) {
      target.put_bound_here(s.as_item());
    } else {
      target.bound.put(s.link, true);
      t.owner->wake(target);
    }
  } else if (worker* w = t.as_worker) {
    w->default_queue->push(s.as_item());
    t.owner->notify(*w);
  } else {
    t.owner->anywhere.put(s.link, true);
    t.owner->notify_all_alike();
    t.owner->call_substitute();
  }
}

void make_ready(thread_state& t, task_record& task) noexcept {
  const item i = reinterpret_cast<item>(&task);
  base::announce_release(&task);
  task.made_ready_by(t.current_id);
  if (task.bound) {
    if (task.bound == bound_to_server) [[unlikely]]
      return give_to_server(t, task);
    if (task.bound == bound_to_place) return put_at_place(t, task);
    worker& target = *t.owner->workers[task.bound - 1u];
    if (task.flags & task_record::is_urgent) target.bound_urgent.put(i, task.priority);
    else if (&target == &t) target.put_bound_here(i);
    else target.bound.put(task.link, false);
    if (&target != &t) t.owner->wake(target);
    return;
  }
  scheduler& owner = *t.owner;
  worker* const w = t.as_worker;
  if (task.flags & task_record::is_urgent) {
    (w ? *w : *owner.workers[0]).urgent.put(i, task.priority);
    owner.notify_all_alike();
  } else if (prefers_a_worker(task.place)) {
    put_near(t, task);
  } else if (w && task.place == no_place) {
    w->default_queue->push(i);
    owner.notify(*w);
  } else if (w) {
    w->queue_at(task.place).push(i);
    owner.notify_thieves(task.place);
  } else if (task.place == no_place) {
    owner.anywhere.put(task.link, false);
    owner.notify_all_alike();
  } else {
    owner.injected[task.place].put(task.link, false);
    owner.notify_visitors(task.place);
  }
  if (!w) owner.call_substitute();
}

}  // namespace stretto::sched
