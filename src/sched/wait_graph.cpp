#include "sched/wait_graph.hpp"

#include <algorithm>
#include <mutex>
#include <tuple>

#include <stretto/error.hpp>

#include "base/snapshot_read.hpp"
#include "event/event_wait_graph.hpp"
#include "sched/lease_state.hpp"
#include "sched/poll_coordinator.hpp"
#include "sched/scheduler.hpp"

namespace stretto::sched {
namespace {

using base::wait_kind;
constexpr auto seq_cst = std::memory_order_seq_cst;

class wait_graph_builder {
 public:
  wait_graph_builder(scheduler& owner, base::wait_walk& walk) noexcept : owner_(owner), walk_(walk) {}

  void scopes() {
    const std::scoped_lock lock(owner_.waiting_mutex);
    for (const finish_scope* scope = owner_.waiting_scopes; scope; scope = scope->next_waiting) {
      const std::uint32_t node = finish(scope);
      walk_[node].kind = wait_kind::finish;
      walk_[node].name = scope == owner_.root ? "the end of the runtime" : "finish";
      walk_[node].created_at = scope == owner_.root ? std::string() : short_location(scope->where);
      walk_[node].is_end = scope == owner_.root;
      if (const task_record* const by = scope->opener.load(std::memory_order_relaxed)) walk_.link(task(by), node);
      if (scope->waiter) waiting_.push_back({scope->waiter, node});
      for (const thread_state* t : owner_.attached)
        if (t->blocked_on.load(seq_cst) == &scope->wake) {
          walk_[thread(t)].waits_at = short_location(scope->where);
          walk_.link(thread(t), node);
        }
    }
  }

  /// Threads that are not workers; the service thread has no line that attached it.
  void outside_threads() {
    for (const thread_state* t : owner_.attached)
      if (t->attached_at.line()) walk_[thread(t)].is_running = !t->blocked_on.load(seq_cst);
  }

  /// Leases that wait: the first one for running tasks, the others for the task of the first one.
  void leases() {
    const std::scoped_lock lock(owner_.leases.mutex);
    const lease_state* const first = owner_.leases.first;
    for (const lease_state* l = first; l && !walk_.is_full(); l = l->next) {
      if (l->now != lease_state::phase::queued && l->now != lease_state::phase::gathering) continue;
      const std::uint32_t node = walk_.at(wait_kind::operation, reinterpret_cast<std::uintptr_t>(l));
      walk_[node].kind = wait_kind::operation;
      walk_[node].name = "a lease of " + std::to_string(l->cores) + (l->cores == 1 ? " core" : " cores");
      walk_[node].created_at = short_location(l->where);
      walk_.link(task(l->waiting.current), node);
      if (l != first) {
        walk_.link(node, task(first->waiting.current));
        continue;
      }
      walk_[node].name += ", for which " + std::to_string(l->aside.size()) +
                          (l->aside.size() == 1 ? " worker is" : " workers are") + " set aside";
      for (const auto& w : owner_.workers)
        if (std::ranges::find(l->aside, w.get()) == l->aside.end()) running(*w, node);
    }
  }

  void add_suspension_on(suspension* const* stack) {
    if (const base::snapshot_copy<const suspension*> at(stack); at && *at) suspended(*at);
  }

  void suspended(const suspension* at) {
    const base::snapshot_copy<suspension> s(at);
    if (!s) return;
    const std::uint32_t node = s->current ? task(s->current) : body(at);
    const bool is_ours = !s->current && owner_.draining.load(seq_cst);
    if (!is_ours) walk_[node].waits_at = base::snapshot_location(s->where);
    for (const auto& [waiter, scope] : waiting_)
      if (waiter == at) return walk_.link(node, scope);
    if (const auto bits = detail::bits_of(s->waits_for)) walk_.link(node, detail::node_of_dependency(bits, walk_));
  }

  /// Adds items that are ready where no worker searches.
  void unreachable_items() {
    std::vector<bool> is_reached(owner_.injected.size());
    bool is_anyone_here = owner_.substitute && owner_.substitute->has_begun;
    for (const auto& w : owner_.workers) {
      if (w->has_thread.load(seq_cst)) {
        is_anyone_here = true;
        for (const auto* path : {w->paths.pop, w->paths.steal})
          for (const auto place : *path) is_reached[place] = true;
      } else {
        queued(w->bound, "worker " + std::to_string(w->index), wait_kind::thread, w->index);
      }
    }
    for (std::uint32_t p = 0; p < owner_.injected.size(); ++p)
      if (!is_reached[p]) queued(owner_.injected[p], "place \"" + owner_.paths.names[p] + "\"", wait_kind::place, p);
    const auto home = owner_.paths.pop[0].back();
    if (is_anyone_here) return;
    queued(owner_.anywhere, "place \"" + owner_.paths.names[home] + "\"", wait_kind::place, home);
    for (const auto& w : owner_.workers)
      queued(w->nearby, "worker " + std::to_string(w->index), wait_kind::thread, w->index);
  }

  void running(const worker& w) {
    const base::snapshot_copy<const task_record*> current(&w.current);
    if (current && *current) walk_[task(*current)].is_running = true;
  }
  /// Lets `waits` wait for what the worker runs.
  void running(const worker& w, std::uint32_t waits) {
    const base::snapshot_copy<const task_record*> current(&w.current);
    if (current && *current && w.parked.load(seq_cst) == 0) walk_.link(waits, task(*current));
  }

  /// Adds the waiters of events and tasks, and the tasks below running ones; each task found may have more waiters.
  void linked() {
    std::size_t waiters = 0, runs = 0;
    do {
      for (; waiters < walk_.linked.size() && !walk_.is_full(); ++waiters) add_waiter(walk_.linked[waiters]);
      describe_awaited_tasks();
      for (; runs < running_.size() && !walk_.is_full(); ++runs) add_task_below(running_[runs]);
    } while ((waiters < walk_.linked.size() || runs < running_.size()) && !walk_.is_full());
    for (const void* at : coroutines_)
      if (const auto bits = detail::bits_of_record(promised_by_coroutine(at)); walk_.has(wait_kind::task, bits))
        walk_.link(walk_.at(wait_kind::task, bits),
                   walk_.at(wait_kind::coroutine, reinterpret_cast<std::uintptr_t>(at)));
  }

 private:
  struct inline_run {
    const waiting_below* below;
    std::uint32_t on_top;
  };

  void add_waiter(const base::wait_walk::found_waiter& found) {
    const auto [at, target] = found;
    const base::snapshot_copy<waiter> w(at);
    if (!w) return;
    if (is_of_task(*w)) {
      walk_.link(task(&task_record::of(*const_cast<waiter*>(static_cast<const waiter*>(at)))), target);
    } else if (const blocked_waiter blocked = blocked_thread_of(*w, at); blocked.who) {
      if (std::ranges::find(owner_.attached, blocked.who) == owner_.attached.end()) return;
      walk_[thread(blocked.who)].waits_at = base::snapshot_location(blocked.where);
      walk_.link(thread(blocked.who), target);
    } else if (const auto where = where_coroutine_waits(*w, at); !where.empty()) {
      other(wait_kind::coroutine, "a coroutine", where, at, target);
      coroutines_.push_back(at);
    } else {
      std::ignore = std::ranges::any_of(walk_.others, [&](const auto& knows) { return knows(found); });
    }
  }
  void add_task_below(inline_run one) {  // a copy: the vector may grow
    const base::snapshot_copy<waiting_below> below(one.below);
    if (!below || reinterpret_cast<std::uintptr_t>(below->task) % alignof(task_record) != 0) return;
    const std::uint32_t node = below->task ? task(below->task) : body(one.below);
    if (node == one.on_top || walk_[node].kind == wait_kind::unknown) return;
    walk_[node].waits_at = base::snapshot_location(below->where);
    walk_.link(node, one.on_top);
  }
  void queued(const inbox& box, std::string name, wait_kind key, std::uint32_t index) {
    auto word = box.newest();
    if (!word) return;
    const std::uint32_t place = walk_.at(wait_kind::place, std::uint64_t{key == wait_kind::place} << 32 | index);
    walk_[place].kind = wait_kind::place;
    walk_[place].name = std::move(name);
    for (unsigned n = 0; word && n < 1000 && !walk_.is_full(); ++n) {
      auto* const link = reinterpret_cast<waiter*>(word & ~std::uintptr_t{1});
      const base::snapshot_copy<waiter> copy(link);
      if (!copy) return;
      if (!(word & 1)) walk_.link(task(&task_record::of(*link)), place);
      word = reinterpret_cast<std::uintptr_t>(copy->next);
    }
  }
  std::uint32_t thread(const thread_state* t) {
    const std::uint32_t node = walk_.at(wait_kind::thread, reinterpret_cast<std::uintptr_t>(t));
    walk_[node].kind = wait_kind::thread;
    walk_[node].name = "a thread that is no worker";
    walk_[node].created_at = short_location(t->attached_at);
    return node;
  }
  std::uint32_t finish(const finish_scope* scope) {
    return walk_.at(wait_kind::finish, reinterpret_cast<std::uintptr_t>(scope));
  }
  /// The scope of a task that has not ended: it is open, so the task that opened it has yet to wait for it.
  std::uint32_t enclosing(const finish_scope* scope) {
    const std::uint32_t node = finish(scope);
    if (walk_[node].kind != wait_kind::unknown || scope == owner_.root) return node;
    const base::snapshot_copy<finish_scope> s(scope);
    if (!s) return node;
    walk_[node].kind = wait_kind::finish;
    walk_[node].name = "finish";
    walk_[node].created_at = base::snapshot_location(&scope->where);
    if (const task_record* const by = s->opener.load(std::memory_order_relaxed)) walk_.link(task(by), node);
    return node;
  }
  std::uint32_t body(const void* at) {
    const std::uint32_t node = walk_.at(wait_kind::body, reinterpret_cast<std::uintptr_t>(at));
    walk_[node].kind = wait_kind::body;
    walk_[node].is_end = owner_.draining.load(seq_cst);
    walk_[node].name = walk_[node].is_end ? "the runtime's destructor" : "the body of run";
    return node;
  }
  void other(wait_kind kind, const char* name, const std::string& where, const void* at, std::uint32_t target) {
    const std::uint32_t node = walk_.at(kind, reinterpret_cast<std::uintptr_t>(at));
    walk_[node].kind = kind;
    walk_[node].name = name;
    walk_[node].waits_at = where;
    walk_.link(node, target);
  }
  std::uint32_t task(const task_record* at) {
    const std::uint32_t node = walk_.at(wait_kind::task, detail::bits_of_record(at));
    if (walk_[node].kind != wait_kind::unknown) return node;
    const base::snapshot_copy<task_record> r(at);
    if (!r || r->is_done()) return node;
    const base::snapshot_copy<completion_kind> kind(r->kind);
    if (!kind || kind->destroy != detail::destroy_task) return node;  // another floor's, which may describe it
    const bool is_promise = r->flags & task_record::is_promise;
    walk_[node].kind = is_promise ? wait_kind::promise : wait_kind::task;
    const std::string name = base::snapshot_text(r->name);
    walk_[node].name = (is_promise ? "promise" : "task") + (name.empty() ? std::string() : " \"" + name + "\"");
    walk_[node].created_at = base::snapshot_location(&at->where);
    detail::add_waiters(r->waiters(), node, walk_);
    if (is_promise) return node;
    walk_.link(enclosing(r->scope), node);
    if (const waiting_below* const below = r->below()) running_.push_back({below, node});
    return node;
  }
  /// Describes tasks that are known only as dependencies.
  void describe_awaited_tasks() {
    for (const auto bits : walk_.undescribed(wait_kind::task))
      task(static_cast<const task_record*>(detail::record_in(bits)));
  }

  scheduler& owner_;
  base::wait_walk& walk_;
  struct waiting_scope {
    const suspension* waiter;
    std::uint32_t node;
  };
  std::vector<waiting_scope> waiting_;
  std::vector<inline_run> running_;
  std::vector<const void*> coroutines_;
};

bool is_idle_spare(const worker& w) noexcept {
  const base::snapshot_copy<const task_record*> current(&w.current);
  return w.spare_number && current && !*current;
}

}  // namespace

void add_wait_edges(scheduler& owner, base::wait_snapshot& into, base::wait_walk& walk) {
  const std::scoped_lock lock(owner.attach_mutex);  // attached threads stay
  wait_graph_builder builder(owner, walk);
  builder.scopes();
  builder.outside_threads();
  builder.leases();
  for (const stack* s = owner.stacks.newest(); s && !walk.is_full(); s = s->older) builder.add_suspension_on(&s->left);
  for (const worker* const w : owner.victims) {
    builder.add_suspension_on(&w->own_left);
    base::worker_state state;
    state.index = w->index;
    state.kernel_thread = w->has_thread.load(seq_cst) ? w->kernel_thread.load() : 0;
    state.is_idle = !w->has_thread.load(seq_cst) || w->parked.load(seq_cst) == 1 || is_idle_spare(*w);
    if (!state.is_idle) {
      builder.running(*w);
      const base::snapshot_copy<const task_record*> current(&w->current);
      if (current && *current) {
        if (const base::snapshot_copy<task_record> r(*current); r) {
          const std::string name = base::snapshot_text(r->name);
          state.runs = (name.empty() ? "task" : "task \"" + name + "\"") + " spawned at " +
                       base::snapshot_location(&(*current)->where);
        }
      } else {
        state.runs = "the body of run";
      }
    }
    into.workers.push_back(std::move(state));
  }
  builder.unreachable_items();
  builder.linked();
}

std::uint64_t progress_of(const scheduler& owner) noexcept {
  std::uint64_t sum = 0;
  for (const worker* const w : owner.victims) sum += w->tasks.count() + w->steals.read() + w->suspensions.read();
  return sum;
}

activity activity_of(const scheduler& owner, const poller* of_messages) noexcept {
  activity now{.counts = progress_of(owner), .is_quiet = true};
  for (const auto& w : owner.workers) {
    now.counts += w->parks.read();
    if (!w->has_thread.load(seq_cst)) continue;
    ++now.threads;
    now.numbers.push_back(w->kernel_thread.load(seq_cst));
    // In this order: a waker clears `parked` at once, the worker itself clears `asleep` later.
    now.is_quiet = now.is_quiet && w->parked.load(seq_cst) == 1 && w->asleep.load(seq_cst);
  }
  if (owner.substitute && owner.substitute->has_begun.load(seq_cst)) {  // while active it counts as outside work
    const worker& stand_in = *owner.substitute->as;
    now.counts += stand_in.tasks.count() + stand_in.suspensions.read();
    if (stand_in.has_thread.load(seq_cst)) {
      ++now.threads;
      now.numbers.push_back(stand_in.kernel_thread.load(seq_cst));
    } else {
      now.is_quiet = false;  // it is about to begin
    }
  }
  for (const auto& w : owner.spares) {  // one that may run something counts as outside work
    ++now.threads;
    now.numbers.push_back(w->kernel_thread.load(seq_cst));
    now.is_quiet = now.is_quiet && w->has_thread.load(seq_cst);
  }
  const std::scoped_lock lock(owner.attach_mutex);
  for (const thread_state* t : owner.attached) {
    now.numbers.push_back(t->kernel_thread.load(seq_cst));
    if (!t->attached_at.line()) continue;  // the service thread
    ++now.threads;
    now.counts += t->parks.read();
    const base::snapshot_copy<std::uint32_t> word(t->blocked_on.load(seq_cst));
    now.is_quiet = now.is_quiet && word && *word == 0;
  }
  now.threads += owner.polls && owner.polls->has_thread();
  // In this order: an operation is pending until its poll has finished. The caller examines a poll for messages
  // separately.
  const auto outside = owner.outside.load(seq_cst);
  const bool only_messages = of_messages && owner.polls && owner.polls->is_only_pending(*of_messages);
  const bool is_pending = owner.polls && owner.polls->any_pending() && !only_messages;
  now.waits_for_modules = outside % scheduler::one_poll || is_pending || (outside && !only_messages);
  return now;
}

}  // namespace stretto::sched
