// idle.hpp - why workers did nothing, and what the runtime itself took between two tasks.
//
// Threads     pure.
//
// A gap on a track that runs tasks has two parts. Until all that the next record depends on had ended, the worker waited for
// the last of that; from then on the record could have run, which is the runtime's own time.
#pragma once

#include "report/run.hpp"

namespace stretto::report {

enum class idle_cause : std::uint8_t {
  no_work_yet,   // before the first record of the track, while nothing was ready for it
  waiting_on,    // until what the next record depended on had ended; `what` is its name
  overhead,      // between ready and begun, at most 20 us: the cost of very fine tasks
  late,          // the same, longer: asleep, or not found
  too_coarse,    // nothing left to begin, while others were still in records that had begun before
  no_work_left,  // nothing left at all
};
inline constexpr unsigned idle_cause_count = 6;
/// "no work yet", "waiting", ...
const char* name(idle_cause c) noexcept;
inline constexpr nanoseconds longest_overhead = 20'000;

struct idle_total {
  idle_cause cause = idle_cause::no_work_yet;
  std::string what;  // waiting_on: the name of the work waited for
  std::uint64_t count = 0;
  nanoseconds time = 0;
};

struct idle_time {
  std::vector<idle_total> totals;  // longest first
  nanoseconds time = 0;            // of all tracks that ran tasks
  nanoseconds overhead = 0;        // median of the gaps before records that were ready in time, 0 if there is none
  unsigned tracks = 0;             // that ran tasks
};

/// Cost: O(records + edges), and sorting the gaps' names.
idle_time find_idle(const run& r);

}  // namespace stretto::report
