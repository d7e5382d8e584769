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

/// Where workers find what is at a place: in the queue there of the worker that makes it ready, or, where nobody would find it there, among
/// what other threads put. Where all take all, that is always the former.
void put_at(worker& w, std::uint16_t place, waiter& link, item i) noexcept {
  scheduler& owner = *w.owner;
  if (owner.takers.all_take_all() || owner.takers.may_use_own_queue(w.index, place)) w.queue_at(place).push(i);
  else owner.injected[place].put(link, suspension_in(i) != nullptr);
  owner.notify(place);
}

/// Some workers do not serve the place, and must not find what is there among what is urgent, or in a queue of no place.
bool is_for_some(const scheduler& owner, std::uint16_t place) noexcept {
  return place != no_place && !owner.takers.all_take_all() && !owner.takers.all_steal(place);
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
    return;
  }
  const std::uint16_t asked_for = s.current ? s.current->place : no_place;
  const bool stays = is_for_some(*t.owner, asked_for);
  if (worker* w = t.as_worker) {
    if (stays) return put_at(*w, asked_for, s.link, s.as_item());
    w->home->push(s.as_item());
    t.owner->notify(*w);
  } else {
    const std::uint16_t place = stays ? asked_for : t.owner->paths.pop[0].back();
    t.owner->injected[place].put(s.link, true);
    t.owner->notify(place);
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
  worker* const w = t.as_worker;
  if (task.flags & task_record::is_urgent) {
    if (is_for_some(*t.owner, task.place)) {
      worker& target = t.owner->taker_of(task.place, w);
      target.bound_urgent.put(i, task.priority);
      if (&target != w) t.owner->wake(target);
      return;
    }
    (w ? w : t.owner->workers[0].get())->urgent.put(i, task.priority);
    t.owner->notify(no_place);
  } else if (w) {
    if (task.place != no_place) return put_at(*w, task.place, task.link, i);
    w->home->push(i);
    t.owner->notify(*w);
  } else {
    const std::uint16_t place = task.place == no_place ? t.owner->paths.pop[0].back() : task.place;
    t.owner->injected[place].put(task.link, false);
    t.owner->notify(place);
  }
}

}  // namespace stretto::sched
