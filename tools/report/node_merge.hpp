// node_merge.hpp - merges the timelines of the nodes of a job into one run, on one clock.
//
// Threads     pure.
// Cost        a copy of all, and O(n log n) for causes on other nodes.
#pragma once

#include <vector>

#include "report/recorded_run.hpp"

namespace stretto::report {

/// Runs of different nodes, each in order; the first one names the result. Tracks and places get the names of their
/// nodes. A record with a cause on another node gets an edge from there, if it did not begin before it.
run merge_nodes(std::vector<run> of_nodes);

}  // namespace stretto::report
