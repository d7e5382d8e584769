// node_loads.hpp - how evenly the nodes were loaded, step by step.
//
// Threads     values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "demo/particles/patch.hpp"

namespace particles {

/// Of each step: the load of the node that has most, to the mean. 1 is best; as many as there are nodes is worst.
struct imbalances {
  std::vector<double> of_time;   // of processors
  std::vector<double> of_pairs;  // that were looked at: the same on every machine
};

/// Of what each patch says of its steps; that without a move is left out.
imbalances imbalances_of(const std::vector<std::vector<cost>>& patches, std::uint32_t nodes);

struct summary {
  double mean = 1, most = 1;
};
/// Without so many steps at the beginning.
summary summary_of(const std::vector<double>& steps, std::size_t without);

}  // namespace particles
