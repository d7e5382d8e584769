// arrows.hpp - turns the arrows of a timeline file, which join points of lanes, into edges between records.
//
// Threads     pure.
// Cost        O((records + arrows) log records).
#pragma once

#include <vector>

#include "report/recorded_run.hpp"

namespace stretto::report {

struct arrow_point {
  std::uint32_t lane = 0;
  nanoseconds at = 0;
};
struct drawn_arrow {
  arrow_point from, to;
};

/// Edges from the record that is open at `from` to the one that starts at `to`; arrows without such ends are skipped.
/// Indices are those of `r.records` as they stand, in any order.
std::vector<edge> edges_of(const run& r, const std::vector<drawn_arrow>& arrows);

/// Edges from the causes that records name: what remains where the arrows, which stand last in a file, are cut off.
std::vector<edge> edges_of_causes(const run& r);

}  // namespace stretto::report
