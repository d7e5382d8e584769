// idle_time.hpp - why workers did nothing, and what the runtime itself took between two tasks.
//
// Threads     pure.
//
// A gap on a worker is analysed backwards from its end. After the last dependency of the next record had ended, that
// record could have run: overhead of the runtime, or a worker that slept. Before that, the worker waited for that
// dependency while it ran; before that, for the dependency's own last dependency, and so on back along the causes to
// the begin of the gap. A task that waits for a task that waits for a copy thus waits for the copy while the copy runs.
#pragma once

#include "report/recorded_run.hpp"

namespace stretto::report {

enum class idle_cause : std::uint8_t {
  no_work_yet,   // before the first record of the worker, while nothing was ready for it
  waiting_on,    // for `what`, while that ran
  unknown,       // until a record came whose cause was not recorded
  overhead,      // between ready and begun, at most 20 us
  too_fine,      // the same, before tasks named `what`, whose mean length is below ten times the overhead
  late,          // the same, longer than 20 us: the worker slept, or did not find it; or `what` had to wait elsewhere
  too_coarse,    // nothing left to begin, while others were still in `what`, begun before
  no_work_left,  // nothing left but `what`, one after another; or nothing at all
};
inline constexpr unsigned idle_cause_count = 8;
/// "no work yet", "waiting", ...
const char* name(idle_cause c) noexcept;
inline constexpr nanoseconds longest_overhead = 20'000;

struct idle_total {
  idle_cause cause = idle_cause::no_work_yet;
  report::kind kind = kind::other;  // of what
  std::string what, at;             // a family of names (name_totals.hpp) and its line; empty if there is none
  std::uint64_t count = 0;          // gaps, or parts of them
  nanoseconds time = 0;
};

struct idle_time {
  std::vector<idle_total> totals;  // longest first
  nanoseconds time = 0;            // of all workers: everything but work
  nanoseconds overhead = 0;        // median of the gaps before records that were ready in time, 0 if there is none
  unsigned tracks = 0;             // workers
};

/// Cost: O(records + edges + parts of gaps), and sorting the gaps' names.
idle_time find_idle(const run& r);

}  // namespace stretto::report
