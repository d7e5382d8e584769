// advice.hpp - which changes are most worth trying, each replayed with that change.
//
// Threads     pure; the replays run in parallel.
#pragma once

#include "report/recorded_run.hpp"

namespace stretto::report {

struct suggestion {
  std::string change;         // "\"blur\" twice as fast"
  nanoseconds predicted = 0;  // length of the replay with the change
  double gain = 0;            // 1 - predicted / replayed; negative: a loss
};

struct advice {
  nanoseconds recorded = 0;             // from the run's begin to the end of its work
  nanoseconds replayed = 0;             // the replay with no change: how well the model knows the run
  std::uint64_t operations = 0;         // replayed
  std::vector<suggestion> suggestions;  // all that were tried, greatest gain first

  /// replayed / recorded - 1: 0.02 is a replay that takes 2 % longer than the run did.
  double error() const noexcept {
    return recorded == 0 ? 0 : static_cast<double>(replayed) / static_cast<double>(recorded) - 1;
  }
};

/// Cost: eight replays, 0.1 s each for a million records.
advice find_advice(const run& r);

}  // namespace stretto::report
