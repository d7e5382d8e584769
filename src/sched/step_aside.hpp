// step_aside.hpp - workers that must begin nothing for now: spare ones that are not wanted, and those set aside for a
// lease (core_lease.hpp).
//
// Threads     give_tasks_back: the worker's own. is_to_step_aside: any; the worker decides by it.
// Cost        is_to_step_aside: a load, before each task that a worker begins.
#pragma once

#include "sched/scheduler.hpp"

namespace stretto::sched {

/// Whether this worker must begin nothing more, except what its state lets it.
inline bool is_to_step_aside(const worker& w) noexcept {
  if (!w.may_step_aside.load(std::memory_order_relaxed)) [[likely]]
    return false;
  return !w.spare_number || w.spare_number > w.owner->wanted_spares.load(std::memory_order_relaxed);
}

/// Gives what is ready in its queues to the other workers.
void give_tasks_back(worker& w) noexcept;

}  // namespace stretto::sched
