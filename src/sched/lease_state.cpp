#include "sched/lease_state.hpp"

#include <algorithm>

#include "base/sanitizers.hpp"
#include "sched/shared_core.hpp"
#include "sched/step_aside.hpp"

namespace stretto::sched {
namespace {

using lease_phase = lease_state::phase;

void call_worker(scheduler& owner, worker& w) noexcept {
  w.may_step_aside.store(true, std::memory_order_seq_cst);
  owner.wake(w);
}

void let_work(scheduler& owner, worker& w) noexcept {
  w.may_step_aside.store(false, std::memory_order_seq_cst);
  owner.wake(w);
}

void begin_gathering(scheduler& owner, lease_state& lease) noexcept {
  lease.now = lease_phase::gathering;
  for (const auto& w : owner.workers) call_worker(owner, *w);
}

bool is_among(const lease_state& lease, const worker& w) noexcept {
  return std::ranges::find(lease.aside, &w) != lease.aside.end();
}

/// A task on the stack of its thread goes on on that thread only.
bool may_run_task(const lease_state& lease, const worker& w) noexcept {
  return !lease.waiting.pinned || lease.waiting.pinned == &w;
}

enum class lease_decision { begin_task, stay, work };

lease_decision decision_of(lease_state& lease, worker& w) noexcept {
  if (is_among(lease, w)) return lease.now == lease_phase::paused ? lease_decision::work : lease_decision::stay;
  if (lease.now != lease_phase::gathering) return lease_decision::work;
  if (lease.aside.size() + 1 == lease.cores)
    return may_run_task(lease, w) ? lease_decision::begin_task : lease_decision::work;
  if (lease.waiting.pinned == &w) return lease_decision::work;  // it is called again
  lease.aside.push_back(&w);
  note_core(w);
  if (lease.waiting.pinned && lease.aside.size() + 1 == lease.cores)
    call_worker(*w.owner, *lease.waiting.pinned->as_worker);
  return lease_decision::stay;
}

}  // namespace

void join_queue(scheduler& owner, lease_state& lease) noexcept {
  base::announce_release(&lease.waiting);
  const std::scoped_lock lock(owner.leases.mutex);
  lease_state** end = &owner.leases.first;
  while (*end) end = &(*end)->next;
  *end = &lease;
  if (owner.leases.first == &lease) begin_gathering(owner, lease);
}

void pause(lease_state& lease) noexcept {
  scheduler& owner = *this_thread()->owner;
  const std::scoped_lock lock(owner.leases.mutex);
  lease.now = lease_phase::paused;
  for (worker* const w : lease.aside) let_work(owner, *w);
}

void go_on(lease_state& lease) noexcept {
  const std::scoped_lock lock(this_thread()->owner->leases.mutex);
  lease.now = lease_phase::in_force;
  for (worker* const w : lease.aside) w->may_step_aside.store(true, std::memory_order_seq_cst);
}

void give_back(scheduler& owner, lease_state& lease) noexcept {
  const std::scoped_lock lock(owner.leases.mutex);
  owner.leases.first = lease.next;
  for (worker* const w : lease.aside) let_work(owner, *w);
  if (owner.leases.first) begin_gathering(owner, *owner.leases.first);
}

item item_of_lease(worker& w) noexcept {
  scheduler& owner = *w.owner;
  {
    const std::scoped_lock lock(owner.leases.mutex);
    lease_state* const lease = owner.leases.first;
    const lease_decision now = lease ? decision_of(*lease, w) : lease_decision::work;
    if (now != lease_decision::stay) w.may_step_aside.store(false, std::memory_order_seq_cst);
    if (now == lease_decision::begin_task) {
      lease->now = lease_phase::in_force;
      for (const auto& other : owner.workers)
        if (!is_among(*lease, *other)) other->may_step_aside.store(false, std::memory_order_seq_cst);
      return lease->waiting.as_item();
    }
    if (now == lease_decision::work) return 0;
  }
  give_tasks_back(w);
  return 0;
}

bool is_set_aside(const worker& w) noexcept {
  scheduler& owner = *w.owner;
  const std::scoped_lock lock(owner.leases.mutex);
  const lease_state* const lease = owner.leases.first;
  return lease && is_among(*lease, w) && lease->now != lease_phase::paused;
}

}  // namespace stretto::sched
