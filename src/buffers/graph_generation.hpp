// graph_generation.hpp - submits a task: generates its commands and instructions and starts these, one stage after the
// other.
//
// Threads     the thread that holds the buffers, in program order.
// Cost        see docs/performance.md; most of the time of a call on buffers.
// Invariants  a refused task changes nothing.
#pragma once

#include <source_location>

#include "base/context.hpp"
#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

/// Submits the task, and a horizon behind it if one is due. The caller awaits `s.back_pressure` before the next task.
///
///   throws   B04, B05, B06, B24, and exceptions of custom mappers
task_outcome submit_task(buffers_state& s, const graph::task& t, const task_work& work, base::thread_context& context);

/// Submits an epoch, behind all earlier tasks and before all later ones; returns its event.
event pass_epoch(buffers_state& s, const std::source_location& where, base::thread_context& context);

}  // namespace stretto::buffers
