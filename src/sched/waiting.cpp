// Waiting: for a task, an event, a scope; on a worker by suspension, on any other thread by blocking.
#include <algorithm>

#include <stretto/barrier.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/task.hpp>

#include "base/futex.hpp"
#include "event/event_floor.hpp"
#include "sched/readying.hpp"
#include "sched/running.hpp"
#include "sched/scopes.hpp"
#include "sched/waiting.hpp"

namespace stretto::sched {
namespace {

void fire_suspension(waiter& link, const failure*, base::thread_context& context) noexcept {
  make_ready(static_cast<thread_state&>(context), reinterpret_cast<suspension&>(link));
}
static_assert(offsetof(suspension, link) == 0);

void subscribe_suspension(worker& w, void* argument) {
  auto& s = *static_cast<suspension*>(argument);
  const dependency d = s.waits_for;
  completion* c = d.task();
  if (!(c ? c->subscribe(s.link) : detail::subscribe(d, s.link, w))) make_ready(w, s);
}

/// A thread that is no worker sleeps on this until fired.
struct blocked_thread {
  waiter link{};
  std::atomic<std::uint32_t> fired{0};
  static void fire(waiter& link, const failure*, base::thread_context&) noexcept {
    auto& self = reinterpret_cast<blocked_thread&>(link);
    base::futex_store_and_wake(self.fired, 1);
  }
};

void block(thread_state& t, dependency d) {
  blocked_thread b;
  b.link.fire = blocked_thread::fire;
  completion* c = d.task();
  if (!(c ? c->subscribe(b.link) : detail::subscribe(d, b.link, t))) return;
  while (!b.fired.load(std::memory_order_acquire)) base::futex_wait(b.fired, 0);
}

/// May another task run on top of what runs now? Not on a task that is bound: if the other suspended, both would
/// continue where the other is allowed to.
bool can_run_on_top(const worker& w) noexcept {
  return !(w.current && w.current->bound) && static_cast<const std::byte*>(__builtin_frame_address(0)) > w.stack_floor;
}

/// Runs a task that stands at the bottom of the worker's own queue on top of the current stack.
void run_on_top(worker& w, task_record& task) {
  task_record* const current = w.current;
  finish_scope* const scope = w.scope;
  worker& now = *run_task(w, task);
  now.current = current;
  if (now.scope != scope || &now != &w) enter_scope(now, scope);
}

/// Looks for a moment whether what is awaited ends, as long as this worker could do nothing else: leaving a stack and
/// coming back to it costs more, and so does being made ready by another worker.
template <class Ended>
bool ends_soon(const worker& w, Ended&& ended) {
  if (w.owner->settings.stepped || w.owner->workers.size() == 1) return false;  // nobody else could end it
  for (unsigned looks = 0; looks < 40; ++looks) {
    if (ended()) return true;
    if (w.home->size() > 0 || !w.bound_ready.empty() || !w.bound.is_empty() || !w.urgent.is_empty() || w.interrupted)
      return false;
    base::relax();
  }
  return ended();
}

[[gnu::noinline]] void suspend_until_ended(worker& w, dependency d, const std::source_location& where) {
  suspension s;
  s.link.fire = fire_suspension;
  s.waits_for = d;
  s.where = &where;
  suspend(w, s, subscribe_suspension, &s);
}

void wait_until_ended(thread_state& t, dependency d, const std::source_location& where) {
  if (worker* w = t.as_worker) {
    completion* c = d.task();
    if (!ends_soon(*w, [&] { return c ? c->is_done() : detail::has_ended(d, *w); })) suspend_until_ended(*w, d, where);
  } else
    block(t, d);
}

void register_scope(worker& w, void* argument) { register_waiting(w, *static_cast<finish_scope*>(argument)); }

}  // namespace

void wait_for_scope(finish_scope& scope) {
  const auto count = static_cast<std::uint32_t>(this_thread()->owner->workers.size());
  for (;;) {
    thread_state& t = *this_thread();
    worker* w = t.as_worker;
    if (!w) {
      if (scope.is_quiet(count)) return;
      scope.wake.store(0, std::memory_order_relaxed);
      register_waiting(t, scope);
      while (!scope.wake.load(std::memory_order_acquire)) base::futex_wait(scope.wake, 0);
      continue;
    }
    // Its own children run on top of it, newest first, unless something more urgent is ready.
    while (can_run_on_top(*w) && w->urgent.is_empty()) {
      // Taken before it is looked at: what is only seen may be stolen, run and freed meanwhile.
      const item i = w->home->pop();
      if (!i) break;
      if (suspension_in(i) || task_in(i)->scope != &scope) {
        w->home->push(i);
        this_thread()->owner->notify();
        break;
      }
      run_on_top(*w, *task_in(i));
      w = this_thread()->as_worker;
    }
    if (scope.is_quiet(count)) return;
    suspension s;
    scope.waiter = &s;
    s.where = &scope.where;
    try {
      suspend(*w, s, register_scope, &scope);
    } catch (const error&) {
      // No stack is left to leave this one for, and a finish must not return early: what is ready runs on top of it.
      const item i = can_run_on_top(*w) ? w->home->pop() : 0;
      if (i && !suspension_in(i)) {
        run_on_top(*w, *task_in(i));
      } else if (i) {
        w->home->push(i);
      } else {
        base::relax();
      }
    }
    scope.waiter = nullptr;
  }
}

}  // namespace stretto::sched

namespace stretto::detail {

using namespace sched;

void wait_for(completion& c, const std::source_location& where) {
  if (!c.is_done()) {
    thread_state* t = this_thread();
    if (!t) base::require_current("get");
    // Only its address is compared: what stands at the bottom of the own queue is surely a task.
    const item awaited = reinterpret_cast<item>(static_cast<task_record*>(&c));
    sched::worker* w = t->as_worker;
    if (w && w->home->bottom() == awaited && can_run_on_top(*w) && w->home->pop() == awaited)
      run_on_top(*w, *reinterpret_cast<task_record*>(awaited));
    else
      wait_until_ended(*t, dependency(c), where);
  }
  if (const failure* f = c.cause()) [[unlikely]] {
    f->mark_observed();
    f->raise();
  }
}

open_finish::open_finish(const std::source_location& where) {
  thread_state* t = this_thread();
  if (!t) base::require_current("finish");
  finish_scope* scope = open_scope(*t, where);
  scope_ = scope;
  enter_scope(*t, scope);
}

void open_finish::close() {
  auto* scope = static_cast<finish_scope*>(scope_);
  wait_for_scope(*scope);
  scope_ = nullptr;
  thread_state& t = *this_thread();
  enter_scope(t, scope->outer);
  std::vector<failure_ref> failures = std::move(scope->failures);
  const auto more = scope->more_failures;
  close_scope(t, scope);
  std::erase_if(failures, [](const failure_ref& f) { return f->is_observed(); });
  if (failures.empty()) return;
  for (const failure_ref& f : failures) f->mark_observed();
  const failure_ref first = failures.front();
  if (failures.size() + more == 1) first->raise();
  try {
    first->raise();
  } catch (const std::exception& e) {
    throw error("S06", std::to_string(failures.size() + more) + " tasks failed inside one finish")
        .fact("first", first->who())
        .fact("spawned", first->where())
        .because(e.what());
  }
}

open_finish::~open_finish() {
  if (!scope_) return;
  // The body threw: its tasks end before the exception goes on.
  auto* scope = static_cast<finish_scope*>(scope_);
  wait_for_scope(*scope);
  thread_state& t = *this_thread();
  enter_scope(t, scope->outer);
  close_scope(t, scope);
}

}  // namespace stretto::detail

namespace stretto {

using namespace sched;

void wait(const dependency& d, std::source_location where) {
  if (completion* c = d.task()) return detail::wait_for(*c, where);
  thread_state* t = this_thread();
  if (!t) base::require_current("wait");
  if (!detail::has_ended(d, *t)) wait_until_ended(*t, d, where);
  if (const failure_ref cause = detail::cause_of(d, *this_thread())) {
    cause->mark_observed();
    cause->raise();
  }
}

void wait(const barrier& b, std::source_location where) {
  if (!b.has_triggered()) {
    // Asked for only once looking has not helped: a phase without an event costs its last arrival less.
    thread_state* t = this_thread();
    if (t->as_worker) ends_soon(*t->as_worker, [&] { return b.has_triggered(); });
  }
  if (const event e = b.event(where); e != event()) wait(dependency(e), where);
}

void yield(std::source_location where) {
  thread_state* t = this_thread();
  if (!t) base::require_current("yield");
  sched::worker* w = t->as_worker;
  if (!w || (w->home->size() <= 0 && w->bound.is_empty() && w->bound_ready.empty())) return;
  suspension s;
  s.where = &where;
  // Behind what is ready: it must not be the next thing popped.
  s.pinned = w;
  const auto queue = [](sched::worker& now, void* self) {
    now.bound_ready.push_back(static_cast<suspension*>(self)->as_item());
  };
  try {
    suspend(*w, s, queue, &s);
  } catch (const error&) {
    // No stack is left to let others run on: it goes on itself, and makes one free by ending.
  }
}

std::uint32_t this_worker() {
  thread_state& t = static_cast<thread_state&>(base::require_current("this_worker"));
  return t.index;
}

}  // namespace stretto
