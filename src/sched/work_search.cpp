#include "sched/work_search.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include <stretto/task.hpp>

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "event/event_floor.hpp"
#include "sched/poll_coordinator.hpp"
#include "sched/task_spans.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::sched {
namespace {

constexpr std::size_t most_stolen = 256;
/// How often a thief looks for an answer before it searches elsewhere again.
constexpr unsigned polls_per_round = 16;
/// In how many rounds a victim must not have come by before it is robbed; about as long as robbing it costs.
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
  bool any_kept = false;  // more, in the queue at the place
  bool any_left = false;  // more than `most`, where they were
};

/// The oldest of what others put for any worker that comes by, and up to `most` in all. What was put first is stolen
/// first and, once this worker gets there, popped last.
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

/// Where paths differ, other takers could not get at what lies in this worker's queue: half is left to them.
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

/// True if `victim` has something and has not come by since this thief began to watch it, for long enough. One is
/// watched at a time.
bool should_force_steal(worker& w, const deque& victim) noexcept {
  const bool has_something = victim.size() > 0;
  if (w.owner->settings.stepped) return has_something;  // one thread: it would wait for itself
  const auto replies = victim.steal_replies();
  if (w.victim_under_observation == &victim) {
    if (has_something && w.replies_seen == replies && victim.is_steal_requested()) return ++w.rounds_observed >= rounds_before_force;
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
  // The oldest runs now; the rest keep their order: the next oldest is what others would steal.
  // Where not every worker may run all, what belongs to the place stays there.
  const bool is_uniform = w.owner->reach.is_uniform;
  const auto belongs_home = [](item i) { return suspension_in(i) || !task_in(i)->bound; };
  for (std::size_t i = 1; i < n; ++i) (is_uniform || belongs_home(loot[i]) ? *w.default_queue : w.queue_at(place)).push(loot[i]);
  return loot[0];
}

/// Between two rounds of a search: until the last one whom it asked answers, something is sent here, what it polls has ended, or time
/// passes. How much has ended. From `shares_from` on it lets others have the core between two looks; at once where threads of this process, which
/// may want this very core, do what was left to itself: those of a driver, or a simulated device's.
std::size_t poll_between_searches(worker& w, std::uint64_t yields_from_ns, std::uint64_t until) noexcept {
  poll_coordinator* const polls = w.owner->polls;
  for (unsigned i = 0; i < polls_per_round; ++i) {
    if (polls && polls->any_pending()) {  // which takes as long as a pause, and is what it waits for
      if (const std::size_t ended = polls->poll_idle(w)) return ended;
      const std::uint64_t now = base::nanoseconds_now();
      if (now >= until) return 0;  // a library that yields the core may have it back much later
      if (now >= yields_from_ns || polls->is_any_left()) sched_yield();
    } else {
      base::relax();
    }
    if ((w.last_asked_victim && w.last_asked_victim->has_public()) || !w.bound.is_empty()) return 0;
  }
  return 0;
}

/// For how long a worker that waits looks around: beyond the least time one of all does, the others would only be in its way.
class idle_spin {
 public:
  explicit idle_spin(worker& w) noexcept : w_(w) {
    begin();
    began_ns_ = yields_from_ns_ - w.spin.min_ns();
    if (is_long_spinner_ && w.owner->polls) (measured_by_ = w.owner->polls)->begin_waiting();
  }
  idle_spin(const idle_spin&) = delete;
  ~idle_spin() { end(); }

  /// Anew, from now on.
  void begin() noexcept {
    if (w_.spin.is_adaptive() && !is_long_spinner_) is_long_spinner_ = !w_.owner->has_long_spinner.exchange(true, std::memory_order_relaxed);
    yields_from_ns_ = base::nanoseconds_now() + w_.spin.min_ns();
    end_ns_ = yields_from_ns_ + (is_long_spinner_ ? w_.spin.spin_ns() - w_.spin.min_ns() : 0);
  }
  /// It sleeps: another one may look.
  void end() noexcept {
    if (std::exchange(is_long_spinner_, false)) w_.owner->has_long_spinner.store(false, std::memory_order_relaxed);
    end_ns_ = 0;
  }
  /// What came meanwhile is no end of the wait, but it is not waited in vain: elements that move, or messages that ask for others.
  void record_find() noexcept {
    if (!w_.spin.is_adaptive()) return;
    const std::uint64_t in_all = base::nanoseconds_now() - began_ns_;
    w_.spin.record_wait(measured_by_ ? std::min(in_all, measured_by_->longest_wait()) : in_all);
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

/// How often the others have gone to sleep.
std::uint64_t sleeps_of_others(const worker& w) noexcept {
  std::uint64_t all = 0;
  for (const auto& other : w.owner->workers)
    if (other.get() != &w) all += other->parks.read();
  return all;
}

/// Worker 0, where pollers need its thread. Whoever begins something does not wake it, so that it looks now and then in any case.
constexpr std::int64_t shortest_nap = 50'000, longest_nap = 1'000'000;  // nanoseconds

std::int64_t nap_of(const worker& w, unsigned naps) noexcept {
  if (w.index != 0 || !w.owner->settings.first_worker_polls) return 0;
  return std::min(shortest_nap << std::min(naps, 10u), longest_nap);
}

/// `nap`: 0, or nanoseconds after which it wakes by itself. Whether it did.
bool park(worker& w, std::int64_t nap) {
  scheduler& owner = *w.owner;
  for (std::uint64_t seen = ~std::uint64_t{0};;) {
    ++w.parks;
    w.parked.store(1, std::memory_order_seq_cst);
    owner.searching_and_parked.fetch_add((std::uint64_t{1} << 32) - owner.one_searching, std::memory_order_seq_cst);
    base::asymmetric::heavy();
    // What its own poll has made ready is in no queue that others see, and the poll may have said that it found nothing.
    if (!w.bound_ready.empty() || owner.anything_ready(w) || owner.stop.load(std::memory_order_seq_cst) ||
        (owner.waiting_count.load(std::memory_order_seq_cst) && settle_waiting_scopes(w))) {
      owner.wake(w);  // itself, unless someone just did
      return false;
    }
    if (owner.polls) owner.polls->hand_over();
    if (!owner.draining.load(std::memory_order_seq_cst) || is_waiting_for_modules(owner) ||
        owner.searching_and_parked.load(std::memory_order_seq_cst) >> 32 != owner.workers.size())
      break;
    // All asleep with nothing ready or pending while the runtime ends: what still waits, waits for events that nobody
    // will trigger. Once is enough, unless another worker has been awake since.
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

/// The first of those with a priority of `least` or more, of what is bound here and of what is not.
item take_urgent(worker& w, int least) {
  priority_queue& first = w.bound_urgent.highest() >= w.urgent.highest() ? w.bound_urgent : w.urgent;
  return first.take(least);
}

item search(worker& w) {
  if (const item i = next_local(w)) return i;
  return steal(w);
}

}  // namespace

bool is_idle_in_poll(const scheduler& owner) noexcept {
  const bool is_worker = this_thread()->as_worker != nullptr;
  // The service thread counts as outside while it polls.
  if (owner.outside.load(std::memory_order_seq_cst) != (is_worker ? 0 : scheduler::one_poll)) return false;
  if (owner.settings.stepped) return true;  // who steps polls when nothing is ready
  return !is_worker && owner.searching_and_parked.load(std::memory_order_seq_cst) >> 32 == owner.workers.size();
}

item next_local(worker& w) {
  // Now and then look first where a stream of own tasks would hide other work for ever; but never before what is urgent.
  const bool look_around = (++w.ticks & 63) == 0;
  if (w.urgent.highest() > 0 || w.bound_urgent.highest() > 0) [[unlikely]]
    if (const item i = take_urgent(w, 1)) {
      if (look_around) --w.ticks;
      return i;
    }
  if (look_around) [[unlikely]] {
    // In turn, since tasks that yield are bound, and as many as they like would hide what others sent.
    const bool injected_first = w.ticks & 64;
    if (!injected_first)
      if (const item i = take_bound(w)) return i;
    for (const auto place : *w.paths.pop)
      if (const item i = take_injected(w, place)) return i;
    if (const item i = take_unplaced(w)) return i;
    if (injected_first)
      if (const item i = take_bound(w)) return i;
    if (w.owner->waiting_count.load(std::memory_order_relaxed)) settle_waiting_scopes(w);
  }
  if (w.paused_spawner) [[unlikely]] {
    if (w.tasks_until_resume == 0 || w.default_queue->size() <= 0) return std::exchange(w.paused_spawner, nullptr)->as_item();
    --w.tasks_until_resume;
  }
  for (deque* q : w.pop_order)
    if (const item i = q->pop()) return i;
  if (!w.bound_ready.empty() || !w.bound.is_empty())
    if (const item i = take_bound(w)) return i;
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
  return take_urgent(w, -128);
}

item take_submitted(worker& w) {
  for (const auto* path : {w.paths.pop, w.paths.steal})
    for (const auto place : *path)
      if (const item i = take_injected(w, place)) return i;
  if (const item i = take_unplaced(w)) return i;
  return w.owner->workers[0]->urgent.take(-128);  // where those put what has a priority
}

bool any_submitted(const worker& w) noexcept {
  const scheduler& owner = *w.owner;
  const auto is_full = [](const inbox& box) { return !box.is_empty(); };
  return std::ranges::any_of(owner.injected, is_full) || is_full(owner.anywhere) || !owner.workers[0]->urgent.is_empty();
}

bool has_local(const worker& w) noexcept {
  if (w.paused_spawner || !w.bound_ready.empty() || !w.bound.is_empty()) return true;
  if (!w.urgent.is_empty() || !w.bound_urgent.is_empty()) return true;
  for (const deque* q : w.pop_order)
    if (q->size() > 0) return true;
  for (const auto place : *w.paths.pop)
    if (!w.owner->injected[place].is_empty()) return true;
  return !w.owner->anywhere.is_empty();
}

bool is_other_work_due(worker& w) noexcept {
  if ((++w.ticks & 63) != 63) return false;  // next_local, if asked now, begins with it
  bool any = !w.bound_ready.empty() || !w.bound.is_empty() || !w.owner->anywhere.is_empty();
  for (const auto place : *w.paths.pop) any = any || !w.owner->injected[place].is_empty();
  return any;
}

item steal(worker& w) {
  const auto count = static_cast<std::uint32_t>(w.owner->workers.size());
  w.random ^= w.random << 13;
  w.random ^= w.random >> 7;
  w.random ^= w.random << 17;
  const auto start = static_cast<std::uint32_t>(w.random % count);
  for (const auto place : *w.paths.steal) {
    // Its own tasks at a place that is on its steal path only.
    if (deque* q = w.queues[place].load(std::memory_order_relaxed))
      if (const item i = q->pop()) return i;
    for (std::uint32_t k = 0; k < count; ++k) {
      const auto j = start + k < count ? start + k : start + k - count;
      if (j == w.index) continue;
      if (deque* q = w.owner->workers[j]->queues[place].load(std::memory_order_acquire))
        if (const item i = steal_from(w, *q, place)) return i;
    }
    if (const item i = take_injected(w, place)) return i;
  }
  for (std::uint32_t k = 0; k < count; ++k) {
    worker& victim = *w.owner->workers[start + k < count ? start + k : start + k - count];
    if (&victim != &w && !victim.urgent.is_empty())
      if (const item i = victim.urgent.take(-128)) return i;
  }
  return 0;
}

item wait_for_work(worker& w) {
  scheduler& owner = *w.owner;
  if (const item i = next_local(w)) return i;
  owner.searching_and_parked.fetch_add(owner.one_searching, std::memory_order_seq_cst);
  w.victim_under_observation = w.last_asked_victim = nullptr;
  idle_spin spin(w);
  unsigned naps = 0;  // in a row that ended without anything
  for (unsigned round = 0;; ++round) {
    if (const item i = search(w)) {
      spin.record_find();
      const auto before = owner.searching_and_parked.fetch_sub(owner.one_searching, std::memory_order_seq_cst);
      if ((before & 0xffffffffu) == owner.one_searching) {  // none of those counted searches any more
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
    if (owner.polls && owner.polls->poll_idle(w)) {
      round = naps = 0;
      spin.begin();
      continue;
    }
    // Where whoever ends something wakes a worker, looking gains little, and may take the core from it.
    const bool has_callbacks = owner.polls && owner.polls->all_complete_by_callback();
    const bool has_polled = owner.polls && owner.polls->any_pending();
    if (!has_callbacks && poll_between_searches(w, spin.yields_from_ns(), spin.end_ns())) {
      round = 0;
      spin.begin();
      continue;
    }
    if (has_callbacks || ((has_polled || (round & 15) == 15) && base::nanoseconds_now() >= spin.end_ns())) {
      spin.end();
      const bool has_napped = park(w, nap_of(w, naps));
      naps = has_napped ? naps + 1 : 0;
      if (!has_napped) spin.begin();  // else it looks once, and naps again
      round = 0;
    }
  }
}

}  // namespace stretto::sched

bool stretto::should_split() noexcept {
  const sched::thread_state* t = sched::this_thread();
  if (!t || !t->as_worker) return false;
  sched::deque& queue = *t->as_worker->default_queue;
  if (queue.is_steal_requested()) queue.publish();  // it may be long until the next push or pop
  return queue.size() <= 0;
}
