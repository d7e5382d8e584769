#include "sched/work_search.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include <stretto/task.hpp>

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "event/event_floor.hpp"
#include "sched/lease_state.hpp"
#include "sched/poll_coordinator.hpp"
#include "sched/scope_counting.hpp"
#include "sched/shared_core.hpp"
#include "sched/step_aside.hpp"
#include "sched/task_spans.hpp"

namespace stretto::sched {
namespace {

constexpr std::size_t most_stolen = 256;
/// How often a thief checks for a reply to its steal request before it searches again.
constexpr unsigned polls_per_round = 16;
/// A thief forces a steal after so many rounds without a push or pop of the victim; about the cost of a forced steal.
constexpr unsigned rounds_before_force = 4;

item take_bound(worker& w) {
  w.bound.take_all([&w](waiter& link, bool suspended) { w.bound_ready.push_back(item_of(link, suspended)); });
  if (w.bound_ready.empty()) return 0;
  const item i = w.bound_ready.front();
  w.bound_ready.pop_front();
  ++w.bound_taken;
  return i;
}

struct taken {
  item first = 0;
  bool any_kept = false;  // further items, in the queue at the place
  bool any_left = false;  // items beyond `most`, left in the inbox
};

/// Takes up to `most` items that other threads submitted, the oldest first. It returns the oldest and pushes the others
/// to this worker's queue: those submitted first are stolen first and popped last.
taken take_from(worker& w, inbox& box, std::uint16_t place, std::size_t most) {
  taken all;
  std::size_t count = 0;
  box.take_all([&](waiter& link, bool suspended) {
    const item i = item_of(link, suspended);
    if (++count == 1) {
      all.first = i;
    } else if (count <= most) {
      w.queue_at(place).push(i);
      all.any_kept = true;
    } else {
      box.put(link, suspended);
      all.any_left = true;
    }
  });
  if (all.any_kept) w.owner->notify_thieves(place);
  return all;
}

/// If paths differ, other takers may not steal from this worker's queue: it leaves half of the items to them.
std::size_t share_of(const scheduler& owner, const inbox& box, std::size_t takers) noexcept {
  return owner.reach.is_uniform || takers < 2 ? ~std::size_t{0} : (box.size() + 1) / 2;
}

item take_injected(worker& w, std::uint16_t place) {
  scheduler& owner = *w.owner;
  auto& box = owner.injected[place];
  if (box.is_empty()) return 0;
  const taken all = take_from(w, box, place, share_of(owner, box, owner.reach.visitors[place].size()));
  if (all.any_left) owner.notify_visitors(place);
  return all.first;
}

item take_unplaced(worker& w) {
  scheduler& owner = *w.owner;
  if (owner.anywhere.is_empty()) return 0;
  inbox& box = owner.anywhere;
  const taken all = take_from(w, box, w.paths.pop->front(), share_of(owner, box, owner.workers.size()));
  if (all.any_left) owner.wake_any();
  return all.first;
}

/// Tasks that prefer the worker `of`, this one or another.
item take_near(worker& w, worker& of) {
  if (of.nearby.is_empty()) return 0;
  return take_from(w, of.nearby, w.paths.pop->front(), ~std::size_t{0}).first;
}

/// True if `victim` has items and its owner has neither pushed nor popped for several rounds of this thief, which
/// observes one victim at a time.
bool should_force_steal(worker& w, const deque& victim) noexcept {
  const bool has_something = victim.size() > 0;
  if (w.owner->settings.stepped) return has_something;  // one thread: the thief would wait for itself
  const auto replies = victim.steal_replies();
  if (w.victim_under_observation == &victim) {
    if (has_something && w.replies_seen == replies && victim.is_steal_requested())
      return ++w.rounds_observed >= rounds_before_force;
    w.victim_under_observation = nullptr;
  } else if (!w.victim_under_observation && has_something) {
    w.victim_under_observation = &victim;
    w.replies_seen = replies;
    w.rounds_observed = 0;
  }
  return false;
}

item steal_from(worker& w, deque& victim, std::uint16_t place) {
  item loot[most_stolen];
  auto n = victim.take_offered(loot, most_stolen);
  if (!n) {
    const bool is_forced = should_force_steal(w, victim);
    if (!victim.is_steal_requested()) victim.request_steal();
    w.last_asked_victim = &victim;
    if (is_forced) n = victim.force_steal(loot, most_stolen);
  }
  if (!n) return 0;
  ++w.steals;
  w.stolen += n;
  // The oldest item runs now; the others keep their order, so that other thieves steal the next oldest.
  // If not every worker may run every task, tasks bound to the place stay in its queue.
  const bool is_uniform = w.owner->reach.is_uniform;
  const auto belongs_home = [](item i) { return suspension_in(i) || !task_in(i)->bound; };
  for (std::size_t i = 1; i < n; ++i)
    (is_uniform || belongs_home(loot[i]) ? *w.default_queue : w.queue_at(place)).push(loot[i]);
  return loot[0];
}

/// Polls between two rounds of a search, until the last victim publishes items, a bound task arrives, a polled
/// operation ends, or time passes. Returns how many operations ended. From `yields_from_ns` on it yields the core after
/// each poll. It yields at once if other threads of this process (of a driver or a simulated device) complete
/// operations and may need this core.
std::size_t poll_between_searches(worker& w, std::uint64_t yields_from_ns, std::uint64_t until) noexcept {
  poll_coordinator* const polls = w.owner->polls;
  for (unsigned i = 0; i < polls_per_round; ++i) {
    if (polls && polls->any_pending()) {  // a poll takes as long as base::relax()
      if (const std::size_t ended = polls->poll_idle(w)) return ended;
      const std::uint64_t now = base::nanoseconds_now();
      if (now >= until) return 0;  // a poll that yields the core may get it back much later
      if (now >= yields_from_ns || polls->is_any_left()) sched_yield();
    } else {
      base::relax();
    }
    if ((w.last_asked_victim && w.last_asked_victim->has_public()) || !w.bound.is_empty() || !w.nearby.is_empty())
      return 0;
  }
  return 0;
}

/// How long an idle worker spins. Only one worker at a time spins longer than the minimum; others would only disturb
/// it.
class idle_spin {
 public:
  explicit idle_spin(worker& w) noexcept : w_(w) {
    begin();
    began_ns_ = yields_from_ns_ - w.spin.min_ns();
    if (is_long_spinner_ && w.owner->polls) (measured_by_ = w.owner->polls)->begin_waiting();
    if (w.spin.is_adaptive()) note_core(w);
  }
  idle_spin(const idle_spin&) = delete;
  ~idle_spin() {
    end();
    if (measured_by_) measured_by_->end_waiting();
  }

  /// Starts the spin time again, from now on.
  void begin() noexcept {
    if (w_.spin.is_adaptive() && !is_long_spinner_)
      is_long_spinner_ = !w_.owner->has_long_spinner.exchange(true, std::memory_order_relaxed);
    yields_from_ns_ = base::nanoseconds_now() + w_.spin.min_ns();
    end_ns_ = yields_from_ns_ + (is_long_spinner_ ? w_.spin.spin_ns() - w_.spin.min_ns() : 0);
  }
  /// The worker goes to sleep: another one may spin longer than the minimum.
  void end() noexcept {
    if (std::exchange(is_long_spinner_, false)) w_.owner->has_long_spinner.store(false, std::memory_order_relaxed);
    end_ns_ = 0;
  }
  /// The worker has found work: records the wait. Progress of polled operations (data in transfer, requests) does not
  /// end the wait, but only the longest time without progress counts.
  void record_find() noexcept {
    if (!w_.spin.is_adaptive()) return;
    note_core(w_);
    const std::uint64_t in_all = base::nanoseconds_now() - began_ns_;
    w_.spin.record_wait(measured_by_ ? std::min(in_all, measured_by_->longest_wait()) : in_all);
  }
  /// Whether the time is over. If not, the worker leaves its core to others that need it: by a move if another worker
  /// is there, else by a yield beyond the minimum, unless it polls, and yields then.
  bool is_over(bool polls) noexcept {
    const std::uint64_t now = base::nanoseconds_now();
    if (now >= end_ns_) return true;
    if (w_.spin.is_adaptive()) note_core(w_);
    const bool is_shared = w_.spin.is_adaptive() && is_core_shared(w_);
    if (is_shared && leave_core(w_, now)) return false;
    if (is_shared || (now >= yields_from_ns_ && !polls)) sched_yield();
    return false;
  }
  std::uint64_t yields_from_ns() const noexcept { return yields_from_ns_; }
  std::uint64_t end_ns() const noexcept { return end_ns_; }

 private:
  worker& w_;
  std::uint64_t began_ns_, yields_from_ns_ = 0, end_ns_ = 0;
  bool is_long_spinner_ = false;
  poll_coordinator* measured_by_ = nullptr;
};

bool is_waiting_for_modules(const scheduler& owner) noexcept {
  if (owner.substitute && !owner.substitute->as->bound.is_empty()) return true;
  return owner.outside.load(std::memory_order_seq_cst) || (owner.polls && owner.polls->any_pending());
}

/// How often the other workers have gone to sleep.
std::uint64_t sleeps_of_others(const worker& w) noexcept {
  std::uint64_t all = 0;
  for (const auto& other : w.owner->workers)
    if (other.get() != &w) all += other->parks.read();
  return all;
}

/// Naps of worker 0 if pollers need its thread. A thread that begins an operation does not wake it, so it polls now and
/// then in any case.
constexpr std::int64_t shortest_nap = 50'000, longest_nap = 1'000'000;  // nanoseconds

std::int64_t nap_of(const worker& w, unsigned naps) noexcept {
  if (w.index != 0 || !w.owner->settings.first_worker_polls) return 0;
  return std::min(shortest_nap << std::min(naps, 10u), longest_nap);
}

/// Whether nothing is left for this worker, which has announced that it sleeps. A worker that is set aside wakes
/// another one for what is ready: producers may have counted on its search.
bool may_sleep(worker& w) noexcept {
  scheduler& owner = *w.owner;
  // Tasks that its own poll has made ready may be in no queue that others see, even if the poll reported no finds.
  const bool is_any_ready = owner.anything_ready(w);
  if (!is_to_step_aside(w)) return w.bound_ready.empty() && !is_any_ready;
  if (is_any_ready && owner.reach.is_uniform) owner.wake_any();
  else if (is_any_ready) owner.wake_for_the_rest(w);
  return is_set_aside(w);
}

/// `nap`: 0, or nanoseconds after which the worker wakes by itself. True if it did.
bool park(worker& w, std::int64_t nap) {
  scheduler& owner = *w.owner;
  for (std::uint64_t seen = ~std::uint64_t{0};;) {
    ++w.parks;
    w.parked.store(1, std::memory_order_seq_cst);
    owner.searching_and_parked.fetch_add((std::uint64_t{1} << 32) - owner.one_searching, std::memory_order_seq_cst);
    base::asymmetric::heavy();
    if (!may_sleep(w) || owner.stop.load(std::memory_order_seq_cst) ||
        (owner.waiting_count.load(std::memory_order_seq_cst) && settle_waiting_scopes(w))) {
      owner.wake(w);  // itself, unless another thread just did
      return false;
    }
    if (owner.polls) owner.polls->hand_over();
    if (!owner.draining.load(std::memory_order_seq_cst) || is_waiting_for_modules(owner) ||
        owner.searching_and_parked.load(std::memory_order_seq_cst) >> 32 != owner.workers.size())
      break;
    // The runtime ends, all workers sleep, and nothing is ready or pending: the remaining waits are for events that no
    // thread will trigger. Once is enough, unless another worker has been awake since.
    const std::uint64_t now = sleeps_of_others(w);
    if (now == seen) break;
    seen = now;
    owner.wake(w);
    if (detail::poison_untriggered(w)) return false;
  }
  const trace::ticks since = w.ring ? trace::clock::now() : 0;
  w.asleep.store(true, std::memory_order_seq_cst);
  bool has_napped = false;
  while (w.parked.load(std::memory_order_acquire)) {
    if (nap == 0) {
      base::futex_wait(w.parked, 1);
    } else {
      base::futex_wait_for(w.parked, 1, nap);
      has_napped = w.parked.load(std::memory_order_acquire) != 0;
      if (has_napped) owner.wake(w);
    }
  }
  w.asleep.store(false, std::memory_order_seq_cst);
  if (since) record_sleep(w, since);
  return has_napped;
}

/// The item with the highest priority, bound to this worker or not, if that priority is at least `least`.
item take_urgent(worker& w, int least) {
  priority_queue& first = w.bound_urgent.highest() >= w.urgent.highest() ? w.bound_urgent : w.urgent;
  return first.take(least);
}

/// An idle worker leaves tasks that prefer another one to that for so many rounds of its search, some microseconds.
constexpr unsigned rounds_before_near_steal = 4;

item steal_queued(worker& w);
item steal_near(worker& w);

item search(worker& w, unsigned rounds) {
  if (is_to_step_aside(w)) {
    if (const item i = item_of_lease(w)) return i;
    if (is_to_step_aside(w)) return 0;
  }
  if (const item i = next_local(w)) return i;
  if (const item i = steal_queued(w)) return i;
  return rounds >= rounds_before_near_steal ? steal_near(w) : 0;
}

}  // namespace

bool is_idle_in_poll(const scheduler& owner) noexcept {
  const bool is_worker = this_thread()->as_worker != nullptr;
  // The service thread counts as `outside` work while it polls.
  if (owner.outside.load(std::memory_order_seq_cst) != (is_worker ? 0 : scheduler::one_poll)) return false;
  if (owner.settings.stepped) return true;  // the thread that steps polls only when nothing is ready
  return !is_worker && owner.searching_and_parked.load(std::memory_order_seq_cst) >> 32 == owner.workers.size();
}

item next_local(worker& w) {
  // Now and then first search where a stream of own tasks would hide other work for ever; but never before urgent
  // tasks.
  const bool look_around = (++w.ticks & 63) == 0;
  if (w.urgent.highest() > 0 || w.bound_urgent.highest() > 0) [[unlikely]]
    if (const item i = take_urgent(w, 1)) {
      if (look_around) --w.ticks;
      return i;
    }
  if (look_around) [[unlikely]] {
    // Alternately: tasks that yield become bound, and enough of them would hide tasks from other threads.
    const bool injected_first = w.ticks & 64;
    if (!injected_first)
      if (const item i = take_bound(w)) return i;
    for (const auto place : *w.paths.pop)
      if (const item i = take_injected(w, place)) return i;
    if (const item i = take_unplaced(w)) return i;
    if (injected_first)
      if (const item i = take_bound(w)) return i;
    if (const item i = take_near(w, w)) return i;
    if (w.owner->waiting_count.load(std::memory_order_relaxed)) settle_waiting_scopes(w);
  }
  if (w.paused_spawner) [[unlikely]] {
    if (w.tasks_until_resume == 0 || w.default_queue->size() <= 0)
      return std::exchange(w.paused_spawner, nullptr)->as_item();
    --w.tasks_until_resume;
  }
  for (deque* q : w.pop_order)
    if (const item i = q->pop()) return i;
  if (!w.bound_ready.empty() || !w.bound.is_empty())
    if (const item i = take_bound(w)) return i;
  if (const item i = take_near(w, w)) return i;
  for (const auto place : *w.paths.pop)
    if (const item i = take_injected(w, place)) return i;
  if (const item i = take_unplaced(w)) return i;
  return take_urgent(w, -128);
}

item next_of_own(worker& w) {
  for (const auto* path : {w.paths.pop, w.paths.steal})
    for (const auto place : *path)
      if (deque* q = w.queues[place].load(std::memory_order_relaxed))
        if (const item i = q->pop()) return i;
  if (const item i = take_bound(w)) return i;
  if (const item i = take_near(w, w)) return i;
  return take_urgent(w, -128);
}

item take_submitted(worker& w) {
  for (const auto* path : {w.paths.pop, w.paths.steal})
    for (const auto place : *path)
      if (const item i = take_injected(w, place)) return i;
  if (const item i = take_unplaced(w)) return i;
  if (const item i = take_near(w, *w.owner->workers[0])) return i;
  return w.owner->workers[0]->urgent.take(-128);  // where such threads put tasks with a priority
}

bool any_submitted(const worker& w) noexcept {
  const scheduler& owner = *w.owner;
  const auto is_full = [](const inbox& box) { return !box.is_empty(); };
  return std::ranges::any_of(owner.injected, is_full) || is_full(owner.anywhere) ||
         !owner.workers[0]->urgent.is_empty() || !owner.workers[0]->nearby.is_empty();
}

bool has_local(const worker& w) noexcept {
  if (w.paused_spawner || !w.bound_ready.empty() || !w.bound.is_empty() || !w.nearby.is_empty()) return true;
  if (!w.urgent.is_empty() || !w.bound_urgent.is_empty()) return true;
  for (const deque* q : w.pop_order)
    if (q->size() > 0) return true;
  for (const auto place : *w.paths.pop)
    if (!w.owner->injected[place].is_empty()) return true;
  return !w.owner->anywhere.is_empty();
}

bool is_other_work_due(worker& w) noexcept {
  if ((++w.ticks & 63) != 63) return false;  // next_local, if called now, begins with other work
  bool any = !w.bound_ready.empty() || !w.bound.is_empty() || !w.nearby.is_empty() || !w.owner->anywhere.is_empty();
  for (const auto place : *w.paths.pop) any = any || !w.owner->injected[place].is_empty();
  return any;
}

namespace {

item steal_queued(worker& w) {
  const auto& victims = w.owner->victims;
  const auto count = static_cast<std::uint32_t>(victims.size());
  w.random ^= w.random << 13;
  w.random ^= w.random >> 7;
  w.random ^= w.random << 17;
  const auto start = static_cast<std::uint32_t>(w.random % count);
  for (const auto place : *w.paths.steal) {
    // First its own tasks at a place that is only on its steal path.
    if (deque* q = w.queues[place].load(std::memory_order_relaxed))
      if (const item i = q->pop()) return i;
    for (std::uint32_t k = 0; k < count; ++k) {
      const auto j = start + k < count ? start + k : start + k - count;
      if (victims[j] == &w) continue;
      if (deque* q = victims[j]->queues[place].load(std::memory_order_acquire))
        if (const item i = steal_from(w, *q, place)) return i;
    }
    if (const item i = take_injected(w, place)) return i;
  }
  for (std::uint32_t k = 0; k < count; ++k) {
    worker& victim = *victims[start + k < count ? start + k : start + k - count];
    if (&victim != &w && !victim.urgent.is_empty())
      if (const item i = victim.urgent.take(-128)) return i;
  }
  return 0;
}

item steal_near(worker& w) {
  for (worker* const other : w.owner->victims)
    if (const item i = take_near(w, *other)) return i;
  return 0;
}

}  // namespace

item steal(worker& w) {
  if (const item i = steal_queued(w)) return i;
  return steal_near(w);
}

item wait_for_work(worker& w) {
  scheduler& owner = *w.owner;
  if (!is_to_step_aside(w))
    if (const item i = next_local(w)) return i;
  owner.searching_and_parked.fetch_add(owner.one_searching, std::memory_order_seq_cst);
  w.victim_under_observation = w.last_asked_victim = nullptr;
  idle_spin spin(w);
  unsigned naps = 0;  // naps in a row
  unsigned searches = 0;
  for (unsigned round = 0;; ++round) {
    if (const item i = search(w, searches++)) {
      spin.record_find();
      const auto before = owner.searching_and_parked.fetch_sub(owner.one_searching, std::memory_order_seq_cst);
      if ((before & 0xffffffffu) == owner.one_searching) {  // it was the last searching worker
        if (before >> 32 && !owner.reach.is_uniform) owner.wake_for_the_rest(w);
        else if (before >> 32 && owner.anything_ready(w)) owner.wake_any();
        if (owner.polls) owner.polls->hand_over(before >> 32 != 0);
      }
      return i;
    }
    if (owner.stop.load(std::memory_order_acquire)) {
      owner.searching_and_parked.fetch_sub(owner.one_searching, std::memory_order_seq_cst);
      return 0;
    }
    if (owner.waiting_count.load(std::memory_order_relaxed) && settle_waiting_scopes(w)) continue;
    const bool is_aside = is_to_step_aside(w);  // it sleeps at once
    if (owner.polls && (!is_aside || nap_of(w, 0)) && owner.polls->poll_idle(w)) {
      round = naps = 0;
      spin.begin();
      continue;
    }
    // If completions wake workers by callback, spinning gains little and may take the core from the completing thread.
    const bool has_callbacks = owner.polls && owner.polls->all_complete_by_callback();
    const bool has_polled = owner.polls && owner.polls->any_pending();
    if (!has_callbacks && !is_aside && poll_between_searches(w, spin.yields_from_ns(), spin.end_ns())) {
      round = 0;
      spin.begin();
      continue;
    }
    if (is_aside || has_callbacks || ((has_polled || (round & 15) == 15) && spin.is_over(has_polled))) {
      spin.end();
      const bool has_napped = park(w, nap_of(w, naps));
      naps = has_napped ? naps + 1 : 0;
      if (!has_napped) spin.begin();  // else it polls once, and naps again
      round = 0;
    }
  }
}

}  // namespace stretto::sched

bool stretto::should_split() noexcept {
  const sched::thread_state* t = sched::this_thread();
  if (!t || !t->as_worker) return false;
  sched::deque& queue = *t->as_worker->default_queue;
  if (queue.is_steal_requested()) queue.publish();  // the next push or pop may be far away
  return queue.size() <= 0;
}
