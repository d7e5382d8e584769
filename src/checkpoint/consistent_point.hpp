// consistent_point.hpp - a consistent point of the job: no handler runs on any node and no message is in transit.
//
// Threads     a task that is not a handler.
// Source      two rounds of counting: dist/counting_round.hpp.
#pragma once

#include <functional>
#include <source_location>

namespace stretto::checkpoints {

/// Pauses all nodes until they are consistent; makes each node copy its mobile objects and per-node values; calls
/// `then` on this node; resumes all nodes, also after a failure. Throws C09, C10, and exceptions of fields().
void at_consistent_point(const std::function<void()>& then, const std::source_location& where);

}  // namespace stretto::checkpoints
