// consistent_point.hpp - a moment at which no handler runs on any node of the job and no message is on its way; what is there then.
//
// Threads     a task that is no handler's.
// Source      counting what was said and heard in two rounds: Mattern, "Algorithms for distributed termination detection", 1987.
#pragma once

#include <functional>
#include <source_location>

namespace stretto::checkpoints {

/// Holds all nodes until they have come to rest, has each of them copy its mobile objects and what it keeps of its own, calls `then` in between, and
/// lets them go, also if something fails. Throws C09, C10, what fields() throws.
void at_consistent_point(const std::function<void()>& then, const std::source_location& where);

}  // namespace stretto::checkpoints
