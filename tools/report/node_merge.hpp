// node_merge.hpp - the timelines of a job's nodes as one run, on one clock.
//
// Threads     pure.
// Cost        a copy of all, and O(n log n) for causes on other nodes.
#pragma once

#include <vector>

#include "report/recorded_run.hpp"

namespace stretto::report {

/// Runs of unlike nodes, each in order; the first names the whole. Their tracks and places are told apart by their
/// nodes. What was caused on another node has an edge from there, if it began no earlier.
run merge_nodes(std::vector<run> of_nodes);

}  // namespace stretto::report
