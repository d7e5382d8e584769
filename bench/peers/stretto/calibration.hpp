// calibration.hpp - a unit for the cost of single-threaded work that can be compared between machines: a step of a
// fixed loop.
#pragma once

#include "common/measure.hpp"

namespace bench {

/// Processor time of the calling thread.
double thread_seconds();

/// The figures in `unit`s of a second, and as "loops" in steps of a loop that resembles the generation of graphs: it
/// searches a tree, removes an entry and inserts one.
outcome in_loops(double seconds_for_each, double unit);

}  // namespace bench
