// advice.hpp - which changes are most worth trying, each replayed with that change.
//
// Threads     pure.
#pragma once

#include "report/run.hpp"

namespace stretto::report {

struct suggestion {
  std::string change;         // "\"blur\" twice as fast"
  nanoseconds predicted = 0;  // length of the replay with the change
  double gain = 0;            // 1 - predicted / replayed; negative: a loss
};

struct advice {
  nanoseconds recorded = 0;              // what the replayed part took when it was recorded
  nanoseconds replayed = 0;              // the replay with no change: how well the model knows the run
  std::uint64_t operations = 0;          // replayed
  bool shortened = false;                // they are the beginning of the run
  std::vector<suggestion> suggestions;   // all that were tried, greatest gain first
};

/// `workers` and `overhead` as find_idle tells them. Cost: eight replays of at most 200,000 operations.
advice find_advice(const run& r, unsigned workers, nanoseconds overhead);

}  // namespace stretto::report
