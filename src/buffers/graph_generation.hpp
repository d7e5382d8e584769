// graph_generation.hpp - from a task of the program to its commands, to its instructions, and to these begun: the stages, one behind the other.
//
// Threads     whoever holds the buffers, in the order of the program.
// Cost        see docs/performance.md; most of what a call on buffers takes.
// Invariants  what is refused has changed nothing.
#pragma once

#include <source_location>

#include "base/context.hpp"
#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

/// The task, and a horizon behind it if one is due. `s.ahead` is then what has to have happened before the next.
///
///   throws   B04, B05, B06, B24, and what a mapper of the program's throws
task_outcome submit_task(buffers_state& s, const graph::task& t, const task_work& work, base::thread_context& context);

/// Everything is ordered behind it, and has happened when the event has.
event pass_epoch(buffers_state& s, const std::source_location& where, base::thread_context& context);

}  // namespace stretto::buffers
