// balance_weights.hpp - new weights for cutting launches, from measured loads.
//
// Threads     pure.
// Cost        O(processors).
// Invariants  the same arguments give the same weights, so nodes with the same numbers decide alike without
//             communication.
#pragma once

#include <span>
#include <vector>

namespace stretto::graph {

/// The measured work of one processor or one node.
struct measured_load {
  double items = 0;
  double seconds = 0;  // busy time
};

struct balance_policy {
  double least_gain = 0.1;  // minimum speed-up by the right weights; below it, moving elements is not worth it
  // minimum busy time of the slowest; shorter times are dominated by when the host noticed the end
  double least_seconds = 5e-3;
  // minimum weight, relative to the largest; a processor with almost no work would not be measured any more
  double least_share = 1.0 / 64;
  double least_change = 0.05;  // minimum change of some weight; cuts on multiples of a grain cannot follow every weight
};

/// Returns weights in proportion to items per second, with a sum of 1. Returns none if the weights should stay, or if
/// some processor was not measured.
///
///   now     the present weights, with a sum of 1; none: all are equal
///
/// Compares speeds, not times: launches with too few items to be cut by weights must not shift them forever.
///
///     balanced_weights({}, {{{100, 1.0}, {100, 3.0}}})   ->  {0.75, 0.25}
std::vector<double> balanced_weights(std::span<const double> now, std::span<const measured_load> loads,
                                     const balance_policy& p = {});

}  // namespace stretto::graph
