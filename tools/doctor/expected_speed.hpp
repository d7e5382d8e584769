// expected_speed.hpp - the expected speed of the runtime on a machine, computed from measurements of the same run.
//
// Threads     pure functions.
// Invariants  an expectation exists if all its inputs were measured; `because` names each part of it.
//
// No figure of another machine is used: the instructions and locked operations of the library were counted, and the
// cost of each is measured here. docs/performance.md, "What the doctor expects", has the counts, their origin, and
// measurements of two machines.
#pragma once

#include <optional>
#include <string>

#include "doctor/findings.hpp"

namespace stretto::doctor {

/// The work of the library for one operation, counted with callgrind in a release build.
struct counted_work {
  double instructions = 0, locked = 0, transfers = 0;  // transfers: of a cache line from core to core
};
inline constexpr counted_work spawn_and_wait_work{236, 1, 0}, trigger_work{128, 1, 0}, hand_off_work{236, 1, 3};
inline constexpr double instructions_per_cycle = 3;

struct expectation {
  double value = 0;     // seconds, or bytes per second
  std::string because;  // "236 instructions at 3 per cycle of 0.33 ns, 1 locked operation of 6.0 ns"
};

std::optional<expectation> expected_time(const counted_work& work, const yardsticks_found& here);
/// A copy of the runtime's moves as much as memcpy.
std::optional<expectation> expected_copy(const yardsticks_found& here);

}  // namespace stretto::doctor
