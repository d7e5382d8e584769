// Waits for a task, an event, a barrier or a scope: on a worker by suspension, on any other thread by blocking.
#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include <stretto/barrier.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/task.hpp>

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "base/kept_errno.hpp"
#include "base/order_observer.hpp"
#include "base/sanitizers.hpp"
#include "base/snapshot_read.hpp"
#include "event/event_floor.hpp"
#include "sched/counted_task.hpp"
#include "sched/own_track.hpp"
#include "sched/poll_coordinator.hpp"
#include "sched/ready_queues.hpp"
#include "sched/scope_counting.hpp"
#include "sched/task_execution.hpp"
#include "sched/wait_graph.hpp"
#include "sched/waiting.hpp"
#include "sched/work_search.hpp"

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

/// Blocks a thread that is not a worker until `word` is no longer 0.
void sleep_on(thread_state& t, std::atomic<std::uint32_t>& word) noexcept {
  ++t.parks;
  t.owner->call_substitute();
  t.blocked_on.store(&word, std::memory_order_seq_cst);
  while (!word.load(std::memory_order_acquire)) base::futex_wait(word, 0);
  t.blocked_on.store(nullptr, std::memory_order_seq_cst);
}

/// A thread that is not a worker sleeps on this until it is fired.
struct blocked_thread {
  waiter link{};
  std::atomic<std::uint32_t> fired{0};
  const thread_state* who;
  const std::source_location* where;
  std::uint64_t made_ready_by = 0;
  static void fire(waiter& link, const failure*, base::thread_context& context) noexcept {
    auto& self = reinterpret_cast<blocked_thread&>(link);
    self.made_ready_by = context.current_id;
    base::futex_store_and_wake(self.fired, 1);
  }
};

void block(thread_state& t, dependency d, const std::source_location& where) {
  blocked_thread b;
  b.who = &t;
  b.where = &where;
  b.link.fire = blocked_thread::fire;
  completion* c = d.task();
  if (!(c ? c->subscribe(b.link) : detail::subscribe(d, b.link, t))) return;
  own_track* const own = t.every_span ? own_track_of(t.companion, t.current) : nullptr;
  if (own) own->ran(t, trace::clock::now());
  sleep_on(t, b.fired);
  if (!own) return;
  own->waited(t, b.made_ready_by);
  t.span_start = trace::clock::now();
}

/// Whether another task may run on top of the running one. Not on a bound task: if the other one suspended, both would
/// resume on a worker where the other one may run.
bool can_run_on_top(const worker& w, const task_record* current) noexcept {
  return !(current && current->bound) && static_cast<const std::byte*>(__builtin_frame_address(0)) > w.stack_floor;
}

bool can_run_on_top(const worker& w) noexcept { return can_run_on_top(w, w.current); }

/// Runs a task on top of the current stack.
[[gnu::always_inline]] inline void run_on_top(worker& w, task_record& task) {
  task_record* const current = w.current;
  finish_scope* const scope = w.scope;
  const base::with_usual_control arithmetic(w.owner->arithmetic);
  worker& now = run_task(w, task);
  now.current = current;
  if (now.scope != scope || &now != &w) enter_scope(now, scope);
}

/// Polls from within a task, whose state is restored afterwards. Tasks that the pollers spawn do not belong to this
/// task, as if the worker had been idle, and errno remains.
void poll_in_place(worker& w, poll_coordinator& polls) noexcept {
  task_record* const current = std::exchange(w.current, nullptr);
  const base::with_usual_control arithmetic(w.owner->arithmetic);
  const base::kept_errno kept;
  {
    const outside_of_finishes outside(w);
    polls.poll_idle(w);
  }
  w.current = current;
}

/// Polls for a task that yields: it may wait for an operation whose end only a poll finds.
void poll_pending(worker& w) {
  poll_coordinator* const polls = w.owner->polls;
  if (!polls || w.owner->settings.stepped || !polls->any_pending()) return;
  // If this worker has ready work, only one yield in 16 polls.
  if ((has_local(w) && (w.ticks & 15)) || !can_run_on_top(w, nullptr)) return;
  poll_in_place(w, *polls);
}

/// Spins before a suspension, in rounds of some 30 ns on an AMD EPYC. Two ranks of different workers that answer each
/// other wait for more than a microsecond once one of them has suspended. If that were too long to spin for, the other
/// one would suspend, too, and both would go on so, at a third of the speed.
constexpr unsigned rounds_for_task = 40, rounds_for_operation = 160;

/// Spins briefly until the awaited operation ends, if this worker has nothing else to run: suspending a task and
/// resuming it costs more, and so does a wake-up by another worker. Polls pending operations meanwhile. Returns whether
/// the operation has ended.
template <class Ended>
bool spin_until_ended(worker& w, unsigned most_rounds, Ended&& has_ended) {
  if (w.owner->settings.stepped) return false;
  if (w.every_span && w.companion) [[unlikely]]
    return false;  // a track of its own has its waits as suspensions (own_track.hpp)
  poll_coordinator* polls = w.owner->polls;
  if (polls && !(polls->any_pending() && can_run_on_top(w, nullptr))) polls = nullptr;
  if (!polls && w.owner->workers.size() == 1) return false;  // no other worker could end it
  std::uint64_t until = 0;
  for (unsigned rounds = 0; rounds < most_rounds; ++rounds) {
    if (has_ended()) return true;
    if (w.default_queue->size() > 0 || !w.bound_ready.empty() || !w.bound.is_empty() || !w.nearby.is_empty() ||
        !w.urgent.is_empty() || !w.bound_urgent.is_empty() || w.paused_spawner)
      return false;
    if (polls && polls->any_pending()) {
      poll_in_place(w, *polls);
      if (has_ended()) return true;  // mostly at once: reading the clock takes as long as a poll
      if (!until) until = spin_end(w);
      else if (base::nanoseconds_now() >= until) break;  // as in a search
    } else {
      base::relax();
    }
  }
  return has_ended();
}

[[gnu::noinline]] void suspend_until_ended(worker& w, dependency d, const std::source_location& where) {
  suspension s;
  s.link.fire = fire_suspension;
  s.waits_for = d;
  s.where = &where;
  suspend(w, s, subscribe_suspension, &s);
}

void wait_until_ended(thread_state& t, dependency d, const std::source_location& where,
                      unsigned rounds = rounds_for_task) {
  if (worker* w = t.as_worker) {
    completion* c = d.task();
    if (!spin_until_ended(*w, rounds, [&] { return c ? c->is_done() : detail::has_ended(d, *w); }))
      suspend_until_ended(*w, d, where);
  } else block(t, d, where);
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_own_end(const task_record& awaited, const finish_scope* scope,
                                                           const std::source_location& where) {
  error e("S14", scope ? "a task waits for the task whose finish waits for it" : "a task waits for itself");
  e.fact("waits for", detail::describe_task(awaited)).fact("at", where);
  if (scope) e.fact("finish", scope->where);
  throw std::move(e)
      .because("neither of them could ever end")
      .remedy(scope ? "wait after the finish, or for something that the task does before it"
                    : "let another task wait for it");
}

/// Throws S14 if the task waits for itself, or for a task that opened a scope around it: such a task cannot end before
/// all tasks in its scope have.
void refuse_wait_for_own_end(const thread_state& t, const completion& c, const std::source_location& where) {
  const auto& awaited = static_cast<const task_record&>(c);
  if (t.current == &awaited) refuse_own_end(awaited, nullptr, where);
  for (const finish_scope* scope = t.scope; scope->outer; scope = scope->outer)  // the outermost is the runtime's
    if (scope->opener.load(std::memory_order_relaxed) == &awaited) refuse_own_end(awaited, scope, where);
}

[[gnu::noinline]] void wait_for_ended(completion& c, const std::source_location& where) {
  thread_state* t = this_thread();
  if (!t) base::require_current("get");
  refuse_wait_for_own_end(*t, c, where);
  wait_until_ended(*t, dependency(c), where);
}

/// Whether no worker can run `task`: neither this one, which has no stack for it, nor any other.
bool is_stuck(const worker& w, const task_record& task) noexcept {
  const scheduler& owner = *w.owner;
  const auto all = owner.workers.size();
  if (owner.settings.stepped) return true;
  if (!task.bound) return owner.without_stack.load(std::memory_order_seq_cst) == all;
  const auto word = owner.searching_and_parked.load(std::memory_order_seq_cst);
  return owner.without_stack.load(std::memory_order_seq_cst) + (word >> 32) + (word & 0xffffffffu) == all;
}

/// No stack is free to switch to, and the wait must not return early: runs a ready task on top of the current stack. If
/// that is not possible, since the stack is nearly full or belongs to a bound task, and no other worker can run the
/// task either, the task fails: better an error that says why than a hang.
void run_without_stack(worker& w, const error& why) {
  const item i = next_local(w);
  if (suspension* s = suspension_in(i)) {
    make_ready(w, *s);  // the next suspend() can switch to it and needs no further stack
  } else if (!i) {
    poll_pending(w);
    base::relax();
  } else if (can_run_on_top(w)) {
    run_on_top(w, *task_in(i));
  } else {
    task_record& task = *task_in(i);
    scheduler& owner = *w.owner;
    owner.without_stack.fetch_add(1, std::memory_order_seq_cst);
    if (is_stuck(w, task)) {
      if (begin(owner, task))
        skip_task(w, task, detail::make_failure(std::make_exception_ptr(why), detail::describe_task(task), task.where));
      else task.release();
    } else {
      make_ready(w, task);  // for thieves
      std::this_thread::yield();
    }
    owner.without_stack.fetch_sub(1, std::memory_order_seq_cst);
  }
}

void register_scope(worker& w, void* argument) { register_waiting(w, *static_cast<finish_scope*>(argument)); }

}  // namespace

blocked_waiter blocked_thread_of(const waiter& w, const void* at) noexcept {
  if (w.fire != blocked_thread::fire) return {};
  const base::snapshot_copy<blocked_thread> b(at);
  return b ? blocked_waiter{b->who, b->where} : blocked_waiter{};
}

bool can_run_counted(const thread_state& t) noexcept {
  return t.as_worker && t.fast_path_worker == t.as_worker && !t.owner->settings.stepped && can_run_on_top(*t.as_worker);
}

void run_counted(thread_state& t, task_record& r) noexcept {
  if (!can_run_counted(t)) return start_counted(t, r);
  r.made_ready_by(t.current_id);
  run_on_top(*t.as_worker, r);
}

void wait_for_scope(finish_scope& scope) {
  const std::uint32_t count = this_thread()->owner->shard_count();
  for (;;) {
    thread_state& t = *this_thread();
    worker* w = t.as_worker;
    if (!w) {
      if (scope.is_quiet(count)) return base::announce_acquire(&scope);
      scope.wake.store(0, std::memory_order_relaxed);
      register_waiting(t, scope);
      sleep_on(t, scope.wake);
      continue;
    }
    // The waiting task's children run on top of it, newest first, unless something else is more urgent or has waited
    // long.
    while (can_run_on_top(*w) && w->urgent.is_empty() && w->bound_urgent.is_empty() && !is_other_work_due(*w)) {
      // Pop before reading the task: an item that stays in the queue may be stolen, run and freed meanwhile.
      const item i = w->default_queue->pop();
      if (!i) break;
      if (suspension_in(i) || task_in(i)->scope != &scope) {
        w->default_queue->push(i);
        w->owner->notify(*w);
        break;
      }
      run_on_top(*w, *task_in(i));
      w = this_thread()->as_worker;
    }
    if (scope.is_quiet(count)) return base::announce_acquire(&scope);
    suspension s;
    scope.waiter = &s;
    s.where = &scope.where;
    try {
      suspend(*w, s, register_scope, &scope);
    } catch (const error& why) {
      run_without_stack(*w, why);
    }
    scope.waiter = nullptr;
  }
}

namespace {

/// Runs `task` on top of the caller if it is the newest item of the worker's own queue.
[[gnu::always_inline]] inline bool run_if_next(worker& w, task_record& task, const std::source_location& where) {
  const waiting_below below{w.current, &where};
  if (!can_run_on_top(w, below.task) || !w.default_queue->pop_if(reinterpret_cast<item>(&task))) [[unlikely]]
    return false;
  task.runs_on_top_of(below);  // so that reports know which task waits below it, and where
  finish_scope* const scope = w.scope;
  const base::with_usual_control arithmetic(w.owner->arithmetic);
  worker& now = run_task<holder::caller>(w, task);
  now.current = below.task;
  if (now.scope != scope || &now != &w) enter_scope(now, scope);
  return true;
}

[[gnu::noinline]] void wait_observed(completion& c, const std::source_location& where) {
  thread_state* t = this_thread();
  if (!t || !t->observer) return wait_for_ended(c, where);
  if (!t->as_worker || !run_if_next(*t->as_worker, static_cast<task_record&>(c), where)) wait_for_ended(c, where);
  t = this_thread();
  t->observer->waited({&c, 0}, *t);
}

}  // namespace

}  // namespace stretto::sched

namespace stretto::detail {

using namespace sched;

void wait_for(completion& c, const std::source_location& where) {
  if (!c.is_done()) {
    thread_state* t = this_thread();
    sched::worker* w = t ? t->fast_path_worker : nullptr;
    if (!w || !run_if_next(*w, static_cast<task_record&>(c), where)) wait_observed(c, where);
  } else if (thread_state* t = this_thread(); t && t->observer) [[unlikely]] {
    t->observer->waited({&c, 0}, *t);
  }
  if (const failure* f = c.cause()) [[unlikely]]
    f->raise(&where);
}

void join(const dependency& d, const std::source_location& where) noexcept {
  for (;;) {
    const auto has_ended = [&] { return d.task() ? d.task()->is_done() : detail::has_ended(d, *this_thread()); };
    const bool is_certain = has_ended();
    try {
      return wait(d, where);
    } catch (const error& why) {
      if (is_certain) return;  // its failure
      if (!has_ended()) run_without_stack(*this_thread()->as_worker, why);
    } catch (...) {  // its failure
      return;
    }
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
  if (t.observer) [[unlikely]]
    t.observer->synchronised(t);
  enter_scope(t, scope->outer);
  failure_list::content failures = scope->failures.take();
  // The finish of run, not one inside a task: it also reports failures of operations without a task.
  failure_list::content others;
  if (scope->outer == t.owner->root && t.as_worker && !t.current) others = t.owner->unobserved.take();
  std::ranges::copy(others.kept, std::back_inserter(failures.kept));
  failures.more += others.more;
  close_scope(t, scope);
  if (failures.empty()) return;
  const failure_ref first = failures.kept.front();
  if (failures.size() == 1) first->raise();
  throw error("S06", std::to_string(failures.size()) +
                         (others.empty() ? " tasks failed inside one finish" : " failures inside one run"))
      .fact("first", first->who())
      .fact("spawned", first->where())
      .because(exception_text(first->as_exception()))
      .caused_by(first->as_exception());
}

outside_finish::outside_finish() {
  thread_state* t = this_thread();
  if (!t) base::require_current("detached");
  scope_ = t->scope;
  enter_scope(*t, t->owner->root);
}

// The body may have waited and resumed on another thread, in the scope that it had.
outside_finish::~outside_finish() { enter_scope(*this_thread(), static_cast<finish_scope*>(scope_)); }

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
  t = this_thread();
  if (t->observer) [[unlikely]]
    t->observer->waited({nullptr, d.as_event().raw()}, *t);
  if (const failure_ref cause = detail::cause_of(d, *t)) cause->raise(&where);
}

void wait(const barrier& b, std::source_location where) {
  if (!b.has_triggered()) {
    // The event is requested only after spinning has not helped: a phase without an event costs its last arrival less.
    const thread_state* t = this_thread();
    if (t && t->as_worker) spin_until_ended(*t->as_worker, rounds_for_task, [&] { return b.has_triggered(); });
  }
  if (const event e = b.event(where); e != event()) return wait(dependency(e), where);
  if (thread_state* t = this_thread(); t && t->observer) t->observer->synchronised(*t);
}

void sched::wait_for_operation(completion& c, const std::source_location& where) {
  thread_state* t = this_thread();
  if (!t) base::require_current("wait");
  if (!c.is_done()) {
    wait_until_ended(*t, dependency(c), where, rounds_for_operation);
    t = this_thread();
  }
  if (t->observer) [[unlikely]]
    t->observer->waited({&c, 0}, *t);
}

bool sched::let_others_run(const std::source_location& where) {
  sched::worker* const w = this_thread()->as_worker;
  poll_pending(*w);
  if (!has_local(*w) && !w->owner->settings.stepped) return true;
  suspension s;
  s.where = &where;
  // Queue it behind the ready items: it must not be the next one popped. No spare worker finds what is bound here.
  s.pinned = w->owner->spares.empty() ? w : nullptr;
  const auto queue = [](sched::worker& now, void* self) {
    auto& yields = *static_cast<suspension*>(self);
    if (yields.pinned) return now.put_bound_here(yields.as_item());
    now.owner->anywhere.put(yields.link, true);
    now.owner->notify_all_alike();
  };
  try {
    suspend(*w, s, queue, &s);
  } catch (const error&) {
    return false;
  }
  return true;
}

void yield(std::source_location where) {
  thread_state* t = this_thread();
  if (!t) base::require_current("yield");
  // Without a free stack yield() returns at once; the task frees its own stack when it ends.
  if (t->as_worker && (has_local(*t->as_worker) || !t->owner->settings.stepped)) let_others_run(where);
}

std::uint32_t this_worker() {
  thread_state& t = static_cast<thread_state&>(base::require_current("this_worker"));
  return t.as_worker && t.index >= t.owner->workers.size() ? 0 : t.index;  // others stand for worker 0
}

}  // namespace stretto
