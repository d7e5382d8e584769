// calibration.hpp - the unit in which costs of one thread are told beside time, so that machines can be compared: a
// step of a fixed loop.
#pragma once

#include "common/measure.hpp"

namespace bench {

/// Of the processor, for the calling thread.
double thread_seconds();

/// A figure for each in `unit`s of a second, and as "loops" the same in steps of a loop that does what generating
/// graphs does: it looks into a tree, takes something out and puts something in.
outcome in_loops(double seconds_for_each, double unit);

}  // namespace bench
