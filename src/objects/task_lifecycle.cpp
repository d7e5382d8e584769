// task_lifecycle.cpp - submits tasks, decides which task is issued next and where, and handles the signals of events.
#include "objects/task_lifecycle.hpp"

#include <stretto/error.hpp>
#include <stretto/task.hpp>

#include <algorithm>
#include <thread>
#include <utility>

#include "event/event_floor.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::objects {

namespace {

/// The place for a task without a kernel: the one with most of its data. For a fetch the requested place unless it is
/// lost; for other transfers the place that has all of the data, else the host.
execution_place& place_with_most_data(const task& t) {
  const object_use& u = t.uses.front();
  execution_place& host = t.state.execution_places.front();
  if (t.transfer && t.transfer->is == object_transfer::kind::fetch) {
    execution_place& wanted = t.state.execution_places[t.transfer->place_index];
    return wanted.is_lost ? host : wanted;
  }
  const auto valid_elements = [&](const execution_place& at) { return u.object.get()->valid_for(at, u.where); };
  execution_place* best = &host;
  for (execution_place& at : t.state.execution_places)
    if (valid_elements(at) > valid_elements(*best)) best = &at;
  return t.transfer && valid_elements(*best) < u.where.volume() ? host : *best;
}

/// If the task is a fetch, requests its data; memory is allocated only when the data is about to arrive. Returns false
/// if the task must be issued like others: it is no fetch, or only the host computes.
bool request_if_fetch(task& t, base::thread_context& context) {
  if (!t.transfer || t.transfer->is != object_transfer::kind::fetch || t.state.issues_at_once() ||
      t.uses.front().where.is_empty())
    return false;
  try {
    request_early(t, context);
  } catch (...) {
    t.transfer->as->is = nullptr, t.transfer->as = nullptr;
    fail_task(t, t.current_failure(), context);
  }
  return true;
}

void on_predecessors_issued(task& t, base::thread_context& context) {
  if (t.failed) return fail_task(t, t.skipped_because_of(*t.failed.get()), context);
  if (request_if_fetch(t, context)) return;
  if (t.assigned_place) return t.assigned_place->queue.push_back(&t);
  if (t.code && t.state.scheduler) {
    t.state.scheduler->push(t);
    ++t.state.waiting;
    return;
  }
  auto& queue = (t.program_memory || t.transfer ? place_with_most_data(t) : t.state.execution_places.front()).queue;
  // Insert in submission order: the oldest task can always be issued, but would wait for ever behind a task that lacks
  // memory.
  if (t.state.scheduler) queue.push_back(&t);
  else queue.insert(std::ranges::upper_bound(queue, t.submitted, {}, &task::submitted), &t);
}

void handle_all_pending(objects_state& s, base::thread_context& context) {
  // The list has the newest signal first; handles the oldest first.
  signal* reversed = nullptr;
  for (signal* n = s.pending_signals.exchange(nullptr, std::memory_order_acquire); n;) {
    signal* const next = n->next_pending;
    n->next_pending = reversed;
    reversed = n;
    n = next;
  }
  while (reversed) {
    signal& n = *reversed;
    reversed = n.next_pending;
    base::announce_acquire(&n);
    n.handle(n, std::move(n.cause), context);
  }
}

/// Moves a task without a kernel from a device to the host. Returns false if that is impossible.
bool move_to_host(task& t, const execution_place& at) {
  if (!(t.transfer || t.program_memory) || !at.device) return false;
  if (t.transfer) t.transfer->place_index = 0;
  t.state.execution_places.front().queue.push_front(&t);
  return true;
}

/// A fetch must not wait for memory of a device, because the task that exports the data may occupy that memory.
bool move_fetch_to_host(task& t, const execution_place& at) {
  return t.transfer && t.transfer->is == object_transfer::kind::fetch && move_to_host(t, at);
}

/// The reason why a place cannot run the launch, although the program allows it there.
std::string limits_of(const task& t, const execution_place& at) {
  if (at.is_lost) return "lost";
  if (!at.device || t.state.unusable.contains({t.code, at.view.index})) return "has no code of this kernel";
  const device::properties& is = at.device->is().about();
  return std::to_string(is.most_items_per_group) + " items and " + std::to_string(is.local_memory_bytes) +
         " bytes of local memory per group";
}

/// The failure of a launch whose groups are too large for all places where the program allows it.
failure_ref refused_everywhere(const task& t, error e) {
  std::string all;
  for (const execution_place& at : t.state.execution_places)
    if (t.is_allowed_on(at))
      all += (all.empty() ? "\"" : "; \"") + std::string(at.view.name) + "\" " + limits_of(t, at);
  e.fact("submitted", t.where).fact("candidates", all);
  const bool could_run_on_host = t.code->run && !t.is_allowed_on(t.state.execution_places.front());
  if (could_run_on_host) e.remedy(e.what_to_try() + ", or let the host run it, which accepts groups of any size");
  return detail::make_failure(std::make_exception_ptr(std::move(e)), t.describe(), t.where);
}

void warn_of_reassignment(const task& t, const execution_place& at, const error& why) {
  t.state.warn("kernel \"" + std::string(t.code->name) + "\" runs elsewhere than on \"" + std::string(at.view.name) +
               "\": " + why.what());
}

bool is_group_size_error(const error& e) { return e.code() == "K22" || e.code() == "K23" || e.code() == "K44"; }

/// Records that the place cannot run the kernel because of `e`. Returns true if it has queued the task at another
/// place.
bool reassign_after_error(task& t, const execution_place& at, const error& e) {
  if (!t.code || !at.device) return false;
  if (e.code() == "K44") {  // for this launch alone
    t.excluded_places.push_back(at.view.index);
    return reassign(t);
  }
  const bool is_code = e.code() == "K12" || e.code() == "K13" || e.code() == "K14",
             is_size = e.code() == "K22" || e.code() == "K23";
  if (is_code && !t.state.unusable.emplace(t.code, at.view.index).second) return false;
  if (is_size &&
      (!t.has_groups_for(at) || !t.state.too_large.emplace(t.code, at.view.index, t.group_items, t.local_bytes).second))
    return false;
  if (!(is_code || is_size) || !reassign(t)) return false;
  if (e.code() != "K14") warn_of_reassignment(t, at, e);  // K14: the kernel's definition asks for it
  return true;
}

/// The place has too little memory for the launch, now and later. Returns true if it has queued the task at another
/// place. A host view has no other place.
bool reassign_for_memory(task& t, const execution_place& at, const error& why) {
  if (!t.code) return false;
  t.excluded_places.push_back(at.view.index);
  if (!reassign(t)) return t.excluded_places.pop_back(), false;
  if (t.state.warned_of_memory.emplace(t.code, at.view.index).second) warn_of_reassignment(t, at, why);
  return true;
}

/// For hang reports: records that `t` waits for memory until the program releases a view.
void record_view_holder(const task& view, task& t, const base::thread_context& context) {
  const object_record& o = *view.uses.front().object.get();
  if (t.done == event()) return;
  t.behind = detail::holder_record(*context.runtime, t.done, "the memory of " + describe(o),
                                   "the view that " + view.given_name + "() gave", view.where);
}

/// The shared memory of the task's objects is full: from now on the task uses the memory of its place instead. Returns
/// false if it does so already.
bool leave_shared_memory(task& t) {
  const bool uses_shared_memory =
      std::ranges::any_of(t.uses, [](const object_use& u) { return u.object.get()->shared_memory != nullptr; });
  return uses_shared_memory && !std::exchange(t.avoids_shared_memory, true);
}

/// If a device that the task uses is lost, queues the task at another place. Returns whether it has.
bool reassign_after_loss(task& t, const execution_place& at, const failure_ref& loss) {
  return (mark_lost_devices(t.state, loss) || at.is_lost) && reassign(t);
}

/// Returns false if memory is missing now.
bool issue_or_fail(task& t, execution_place& at, base::thread_context& context) {
  try {
    if (t.code && !t.can_run_on(at)) {
      if (reassign(t)) return true;
      if (at.lost_because) throw skipped{at.lost_because};
    }
    return issue(t, at, context) || move_fetch_to_host(t, at);
  } catch (const skipped& s) {
    fail_task(t, t.skipped_because_of(*s.because.get()), context);
  } catch (const insufficient_memory& n) {
    if (leave_shared_memory(t)) return issue_or_fail(t, at, context);
    if (move_to_host(t, at) || reassign_for_memory(t, at, n.why)) return true;
    if (request_clearing(t, at, context)) return false;
    if (n.view) return record_view_holder(*n.view, t, context), false;
    fail_task(t, detail::make_failure(std::make_exception_ptr(n.why), t.describe(), t.where), context);
  } catch (const error& e) {
    if (e.code() == "A04" && leave_shared_memory(t)) return issue_or_fail(t, at, context);
    if (e.code() == "K31" && reassign_after_loss(t, at, t.current_failure())) return true;
    if (reassign_after_error(t, at, e) || move_to_host(t, at)) return true;
    fail_task(t, t.code && is_group_size_error(e) ? refused_everywhere(t, e) : t.current_failure(), context);
  } catch (...) {
    fail_task(t, t.current_failure(), context);
  }
  return true;
}

// A device gets more tasks than its depth as long as their predicted times are below this sum: with short tasks it
// would otherwise wait for the host.
constexpr double seconds_ahead = 500e-6;
constexpr float unknown_seconds = 1;
constexpr std::uint32_t most_ahead = 1024;

/// How many more tasks may be issued to the place now.
std::uint32_t free_issue_slots(const execution_place& at) {
  if (at.view.issued < at.depth) return at.depth - at.view.issued;
  return at.device && at.view.issued < most_ahead && at.issued_seconds < seconds_ahead;
}

void account_at(task& t, execution_place& at) {
  t.accounted_place = &at;
  ++at.view.issued;
  if (!at.device) return;
  t.expected_seconds = static_cast<float>(t.predicted_seconds(at.view).value_or(unknown_seconds));
  at.issued_seconds += t.expected_seconds;
}

/// Issues the task at this position of the queue. Returns false if memory is missing now.
bool issue_from(execution_place& at, std::size_t position, base::thread_context& context) {
  task& t = *at.queue[position];
  const bool is_assigned = t.assigned_place && !t.accounted_place;
  if (is_assigned && free_issue_slots(at) == 0) return false;
  at.queue.erase(at.queue.begin() + static_cast<std::ptrdiff_t>(position));
  if (is_assigned) account_at(t, at);
  if (issue_or_fail(t, at, context)) return true;
  at.queue.insert(at.queue.begin() + static_cast<std::ptrdiff_t>(position), &t);
  return false;
}

/// Queues the next task that the scheduler has for the place.
bool pop_for(execution_place& at, objects_state& s) {
  if (at.view.room == 0 || s.waiting == 0) return false;
  auto* const t = const_cast<task*>(static_cast<const task*>(s.scheduler->pop(at.view)));
  if (!t) return false;
  --s.waiting;
  t->is_popped = true;
  account_at(*t, at);
  at.queue.push_back(t);
  return true;
}

void issue_queued(objects_state& s, base::thread_context& context) {
  for (bool again = true; again;) {
    again = false;
    for (execution_place& at : s.execution_places) {
      at.view.room = free_issue_slots(at);
      // Do not pop behind a task that waits for memory: an assigned task would wait for the memory that later ones
      // take.
      again = (at.queue.empty() && pop_for(at, s)) || again;
      while (!at.queue.empty() && issue_from(at, 0, context)) again = true;
    }
  }
}

/// A memory deadlock: true if each task that is not issued waits for memory, or for such a task, and nothing in
/// progress can free memory. Views of the program do not count, because the program decides when they end.
bool is_stalled(const objects_state& s) {
  std::size_t counted = 0, queued = 0;
  for (const execution_place& at : s.execution_places) {
    counted += at.view.issued;
    queued += at.queue.size();
    for (const task* const t : at.queue) counted -= t->accounted_place != nullptr;
  }
  if (queued == 0 || counted > 0) return false;
  const auto leaves = [](const execution_place& at) { return at.leaving > 0 || at.is_being_cleared; };
  if (std::ranges::any_of(s.execution_places, leaves) || std::ranges::any_of(s.shared_memories, leaves) ||
      (s.spill && leaves(*s.spill)))
    return false;
  std::vector<std::uint32_t> follows(s.tasks.size());
  for (const task* const t : s.tasks) {
    if (t->on && !is_lasting_view(*t)) return false;
    for (const task* const next : t->successors) ++follows[next->number];
    for (const task* const next : t->explicit_successors) ++follows[next->number];
  }
  // A task that waits for an event, or for another node, may yet be issued.
  return std::ranges::none_of(
      s.tasks, [&](const task* t) { return !t->on && (t->unissued > follows[t->number] || is_requested(*t)); });
}

/// Issues a task for which there is memory before an earlier one that waits: when it ends, it may free enough.
bool issue_out_of_order(objects_state& s, base::thread_context& context) {
  for (execution_place& at : s.execution_places) {
    for (std::size_t position = 1; position < at.queue.size(); ++position)
      if (issue_from(at, position, context)) return true;
    at.view.room = free_issue_slots(at);
    if (!at.queue.empty() && pop_for(at, s)) return true;
  }
  return false;
}

/// Breaks a memory deadlock: refuses the memory that the first waiting task asks for.
bool fail_first_waiting(objects_state& s, base::thread_context& context) {
  s.is_deadlocked = true;
  const bool is_refused = std::ranges::any_of(
      s.execution_places, [&](execution_place& at) { return !at.queue.empty() && issue_from(at, 0, context); });
  s.is_deadlocked = false;
  return is_refused;
}

void issue_all_possible(objects_state& s, base::thread_context& context) {
  do issue_queued(s, context);
  while (is_stalled(s) && (issue_out_of_order(s, context) || fail_first_waiting(s, context)));
}

void update_must_handle_ends(objects_state& s) {
  const bool now = !s.issues_at_once() || s.released_objects || !s.execution_places.front().queue.empty();
  if (now != s.must_handle_ends.load(std::memory_order_relaxed))
    s.must_handle_ends.store(now, std::memory_order_relaxed);
}

// After this many rounds of new signals, a thread leaves the rest to a task: else it might never return.
constexpr unsigned most_rounds = 64;

/// Spawns a task that handles the remaining signals. Returns false if there is no memory for a task.
bool continue_in_task(objects_state& s, base::thread_context& context) noexcept {
  try {
    const sched::outside_of_finishes here(static_cast<sched::thread_state&>(context));
    async(name("objects"), [&s] { const objects_lock lock(s, base::require_current("launch")); });
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

signal::signal(objects_state& s, handler h) noexcept : state(s), handle(h) {
  fire = [](waiter& self, const failure* why, base::thread_context& context) noexcept {
    post_signal(static_cast<signal&>(self), failure_ref::share(why), context);
  };
}

objects_lock::objects_lock(objects_state& s, base::thread_context& context) noexcept
    : state_(s), context_(context), is_nested_(s.holder.load(std::memory_order_relaxed) == &context) {
  if (is_nested_) return;
  s.mutex.lock();
  s.holder.store(&context, std::memory_order_seq_cst);
}

objects_lock::~objects_lock() {
  if (is_nested_) return;
  for (unsigned rounds = 0;;) {
    handle_all_pending(state_, context_);
    if (!state_.issues_at_once() || !state_.execution_places.front().queue.empty())
      issue_all_possible(state_, context_);
    if (state_.pending_signals.load(std::memory_order_acquire) && ++rounds < most_rounds) continue;
    update_must_handle_ends(state_);
    state_.holder.store(nullptr, std::memory_order_relaxed);
    state_.mutex.unlock();
    // A thread that found the mutex locked in between relies on this one.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!state_.pending_signals.load(std::memory_order_relaxed)) return;
    if (rounds >= most_rounds && continue_in_task(state_, context_)) return;
    if (!state_.mutex.try_lock()) return;
    state_.holder.store(&context_, std::memory_order_relaxed);
  }
}

void enqueue_signal(signal& s) noexcept {
  std::atomic<signal*>& list = s.state.pending_signals;
  base::announce_release(&s);
  s.next_pending = list.load(std::memory_order_relaxed);
  while (!list.compare_exchange_weak(s.next_pending, &s, std::memory_order_seq_cst)) {
  }
}

void post_lazily(signal& s, base::thread_context& context) noexcept {
  objects_state& state = s.state;
  enqueue_signal(s);
  // Either this thread sees must_handle_ends, or the thread that sets it sees the signal.
  if (state.must_handle_ends.load(std::memory_order_seq_cst)) handle_pending_signals(state, context);
}

void post_signal(signal& s, failure_ref cause, base::thread_context& context) noexcept {
  objects_state& state = s.state;
  s.cause = std::move(cause);
  enqueue_signal(s);
  handle_pending_signals(state, context);
}

void handle_pending_signals(objects_state& state, base::thread_context& context) noexcept {
  if (state.holder.load(std::memory_order_relaxed) == &context) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // The holder in objects_lock checks the list before it unlocks. A thread without a runtime does not, but holds the
  // mutex only briefly.
  while (!state.mutex.try_lock()) {
    if (state.holder.load(std::memory_order_seq_cst) || !state.pending_signals.load(std::memory_order_acquire)) return;
    std::this_thread::yield();
  }
  state.mutex.unlock();
  const objects_lock handles_them(state, context);
}

void post_when_ended(const dependency& d, signal& s, base::thread_context& context) {
  if (!detail::subscribe(d, s, context)) post_signal(s, detail::cause_of(d, context), context);
}

namespace {

/// True if the task can be issued at once: all earlier uses of its objects have been issued, and events order it behind
/// them.
bool can_be_issued(const task& t, std::span<const event> after, std::span<const predecessor> behind) {
  const objects_state& s = t.state;
  return s.issues_at_once() && after.empty() && !t.is_for_host() && s.execution_places.front().queue.empty() &&
         std::ranges::none_of(t.uses, [](const object_use& u) { return u.object.get()->unissued > 0; }) &&
         std::ranges::none_of(behind, [&](const predecessor& p) { return s.slots.is_live(p.id); });
}

}  // namespace

task_id submit(task* submitted, std::span<const event> after, std::span<const predecessor> behind,
               base::thread_context& context) {
  task& t = *submitted;
  objects_state& s = t.state;
  t.submitted = ++s.positions;
  t.number = s.tasks.size();
  s.tasks.push_back(&t);
  if (!t.is_for_host() && !t.transfer) {
    auto& thread = static_cast<sched::thread_state&>(context);
    t.scope = thread.scope;
    sched::count_spawned(thread);
  }
  if (can_be_issued(t, after, behind)) {
    for (const predecessor& p : behind) t.explicit_predecessors.push_back(p.done);
    if (issue_or_fail(t, s.execution_places.front(), context)) return {};
    t.explicit_predecessors.clear();
  }
  t.id = s.slots.add();
  if (s.by_slot.size() <= t.id.slot) s.by_slot.resize(t.id.slot + 1);
  s.by_slot[t.id.slot] = &t;
  std::vector<task_id>& predecessors = s.predecessors;
  predecessors.clear();
  for (const object_use& u : t.uses) {
    object_record& o = *u.object.get();
    ++o.unissued;
    o.order.access(u.where, u.how, t.id, predecessors);
    if (s.needs_next_uses()) o.queued.push_back({t.submitted, u.where});
  }
  t.unissued = 1;
  for (const task_id p : predecessors) {
    task& before = *s.by_slot[p.slot];
    before.successors.push_back(&t);
    ++t.unissued;
    if (!t.is_for_host() && before.is_for_host())
      t.behind =
          detail::holder_record(*context.runtime, t.done, "elements of " + describe(*before.uses.front().object.get()),
                                "the view that " + before.given_name + "() gave", before.where);
  }
  for (const predecessor& p : behind) {
    if (s.slots.is_live(p.id)) {
      s.by_slot[p.id.slot]->explicit_successors.push_back(&t);
      ++t.unissued;
    } else {
      t.explicit_predecessors.push_back(p.done);
    }
  }
  if (!after.empty()) {
    ++t.unissued;
    const event all = after.size() == 1 ? after.front() : merge(after, t.where);
    if (!detail::subscribe(all, t.notification, context)) {
      t.failed = detail::cause_of(all, context);
      --t.unissued;
    }
  }
  const task_id id = t.id;
  if (--t.unissued == 0) on_predecessors_issued(t, context);  // which may end the task
  return id;
}

void release_successors(task& t, base::thread_context& context) {
  if (t.id == task_id()) return;  // it was issued before any successor was known
  for (const object_use& u : t.uses) --u.object.get()->unissued;
  if (t.state.needs_next_uses())
    for (const object_use& u : t.uses) {
      auto& queued = u.object.get()->queued;
      if (queued.front().position == t.submitted) queued.pop_front();
      else queued.erase(std::ranges::lower_bound(queued, t.submitted, {}, &queued_use::position));
    }
  t.behind = {};
  t.state.slots.retire(t.id);
  t.state.by_slot[t.id.slot] = nullptr;
  for (task* const next : std::exchange(t.explicit_successors, {})) {
    next->explicit_predecessors.push_back(t.computed.raw() ? t.computed : t.done);
    if (--next->unissued == 0) on_predecessors_issued(*next, context);
  }
  for (task* const next : std::exchange(t.successors, {}))
    if (--next->unissued == 0) on_predecessors_issued(*next, context);
}

void issue_next(task& t) { place_with_most_data(t).queue.push_front(&t); }

void remove_from_queues(task& t) {
  for (execution_place& at : t.state.execution_places) std::erase(at.queue, &t);
}

bool reassign(task& t) {
  execution_place* best = nullptr;
  for (execution_place& at : t.state.execution_places) {
    if (!t.can_run_on(at)) continue;
    if (!best || t.missing_bytes(at.view) < t.missing_bytes(best->view)) best = &at;
  }
  if (best) best->queue.push_back(&t);
  return best;
}

namespace {

bool is_device_loss(const failure& cause) {
  try {
    std::rethrow_exception(cause.root().exception());
  } catch (const error& e) {
    return e.code() == "K31";
  } catch (...) {
    return false;
  }
}

void mark_lost(objects_state& s, execution_place& at, const failure_ref& cause) {
  at.is_lost = true;
  at.lost_because = cause;
  for (object_record* const o : s.objects)
    if (!o->replicas.lose(at.view.index).is_empty()) o->lost_because = cause;
}

}  // namespace

bool mark_lost_devices(objects_state& s, const failure_ref& cause) {
  if (!is_device_loss(*cause.get())) return false;
  bool any = false;
  for (execution_place& at : s.execution_places) {
    if (!at.device || at.is_lost || !at.device->is().is_lost()) continue;
    mark_lost(s, at, cause);
    any = true;
  }
  return any;
}

void fail_task(task& t, failure_ref cause, base::thread_context& context) {
  if (cancel_request(t, cause, context)) return;
  for (const object_use& u : t.uses)
    if (!t.is_for_host() && u.how.changes_content()) {
      u.object.get()->replicas.spoil(u.where);
      u.object.get()->lost_because = cause;
    }
  release_successors(t, context);
  if (t.promised) {
    t.promised->poison(cause->as_exception());
    t.promised.reset();
  }
  if (t.transfer) fail_transfer(t, cause, context);
  finish(t, std::move(cause), context);
}

void on_precondition_ended(signal& self, failure_ref cause, base::thread_context& context) {
  task& t = static_cast<task_signal&>(self).of;
  if (cause) t.failed = std::move(cause);
  if (--t.unissued == 0) on_predecessors_issued(t, context);
}

}  // namespace stretto::objects
