// lease_state.hpp - one lease of cores: how it gets its workers, and gives them back.
//
// The first lease of the queue calls all workers: each asks, by item_of_lease, before it begins anything more. The
// first that ask are set aside; the last one that is needed resumes the task that waits for the lease. No task is
// interrupted, and while workers are being gathered those that are left run all tasks.
//
// Threads     join_queue, pause, go_on and give_back: the worker that runs the task. item_of_lease and is_set_aside:
//             the worker itself.
// Cost        a lock for each call; give_back wakes the workers.
// Invariants  (1) one lease is in force. (2) a lease begins under the lock, so a worker that finds itself set aside
//             under the lock is woken by whatever ends that.
#pragma once

#include <cstdint>
#include <source_location>
#include <vector>

#include "sched/worker.hpp"

namespace stretto::sched {

/// Lives in the task of the lease.
struct lease_state {
  /// queued: behind others. paused: the task waits for something else, and the workers are free.
  enum class phase : std::uint8_t { queued, gathering, in_force, paused };

  lease_state(std::uint32_t count, const std::source_location& called) : cores(count), where(called) {}
  lease_state(const lease_state&) = delete;

  const std::uint32_t cores;
  const std::source_location where;
  suspension waiting;  // of the task, until it has its workers
  // Guarded by the queue's lock.
  phase now = phase::queued;
  std::vector<worker*> aside;  // one fewer than `cores`, once it has its workers
  lease_state* next = nullptr;
};

/// The task has left its stack, and waits for its turn and its workers. It goes on on the last worker that was needed.
void join_queue(scheduler& owner, lease_state& lease) noexcept;
/// Lets the workers run tasks while the task waits, and stops them again.
void pause(lease_state& lease) noexcept;
void go_on(lease_state& lease) noexcept;
/// Frees the workers, and begins the next lease.
void give_back(scheduler& owner, lease_state& lease) noexcept;

/// For a worker that is to step aside: the task of the lease if this worker is the last one that it needs, else 0.
/// Afterwards the worker is set aside, or no longer has to step aside.
item item_of_lease(worker& w) noexcept;
/// Whether the worker is set aside, and its lease in force or still gathering.
bool is_set_aside(const worker& w) noexcept;

}  // namespace stretto::sched
