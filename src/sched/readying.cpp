#include "sched/readying.hpp"

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

}  // namespace

void make_ready(thread_state& t, suspension& s) noexcept {
  s.made_ready_by = t.current_id;
  if (s.pinned) {
    worker& target = *s.pinned->as_worker;
    if (&target == &t) {
      target.put_bound_here(s.as_item());
    } else {
      target.bound.put(s.link, true);
      t.owner->wake(target);
    }
  } else if (worker* w = t.as_worker) {
    w->home->push(s.as_item());
    t.owner->notify();
  } else {
    t.owner->injected[t.owner->paths.pop[0].back()].put(s.link, true);
    t.owner->notify();
  }
}

void make_ready(thread_state& t, task_record& task) noexcept {
  const item i = reinterpret_cast<item>(&task);
  task.made_ready_by(t.current_id);
  if (task.bound) {
    if (task.bound == bound_to_server) [[unlikely]]
      return give_to_server(t, task);
    worker& target = *t.owner->workers[task.bound - 1u];
    if (task.flags & task_record::is_urgent)
      target.bound_urgent.put(i, task.priority);
    else if (&target == &t)
      target.put_bound_here(i);
    else
      target.bound.put(task.link, false);
    if (&target != &t) t.owner->wake(target);
    return;
  }
  if (worker* w = t.as_worker) {
    if (task.flags & task_record::is_urgent)
      w->urgent.put(i, task.priority);
    else
      (task.place == no_place ? *w->home : w->queue_at(task.place)).push(i);
  } else if (task.flags & task_record::is_urgent) {
    t.owner->workers[0]->urgent.put(i, task.priority);
  } else {
    t.owner->injected[task.place == no_place ? t.owner->paths.pop[0].back() : task.place].put(task.link, false);
  }
  t.owner->notify();
}

}  // namespace stretto::sched
