// overview.hpp - the whole run at a glance: for each lane and each slice of time, how busy it was, and with what.
//
// Threads     pure.
// Cost        O(records + lanes * slices); at most 2^18 cells, or one per lane.
//
// The page draws it before the records have been unpacked.
#pragma once

#include <cstdint>
#include <vector>

#include "report/recorded_run.hpp"

namespace stretto::report {

struct overview_cell {
  std::uint8_t busy = 0;    // 255: all of the slice
  std::uint32_t label = 0;  // what took most of it; labels.size() if nothing ran
  friend bool operator==(const overview_cell&, const overview_cell&) = default;
};

struct overview {
  std::uint32_t slices = 0;          // of equal length, over the whole run
  std::vector<overview_cell> cells;  // lane by lane
};

overview find_overview(const run& r, std::uint32_t most_slices = 2048);

}  // namespace stretto::report
