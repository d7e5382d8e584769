// utilisation.hpp - how much of the run each worker and each place was busy.
//
// Threads     pure.
#pragma once

#include "report/recorded_run.hpp"

namespace stretto::report {

struct utilisation {
  std::string name;         // of a track or a place
  std::uint64_t count = 0;  // records of work
  nanoseconds busy = 0;     // at least one of them was running
  nanoseconds asleep = 0;   // recorded waits of the thread
};

struct utilisations {
  std::vector<utilisation> tracks;  // as run::tracks
  std::vector<utilisation> places;  // as run::places: where tasks ran, memories while written
};

/// Cost: O(records).
utilisations find_utilisation(const run& r);

}  // namespace stretto::report
