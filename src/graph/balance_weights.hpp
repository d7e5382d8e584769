// balance_weights.hpp - how launches are to be cut, from what those that were measured took.
//
// Threads     pure.
// Cost        O(processors).
// Invariants  the same arguments give the same weights: nodes that have the same numbers need not ask one another what they decide.
#pragma once

#include <span>
#include <vector>

namespace stretto::graph {

/// What one processor, or one node, did of the launches that were measured.
struct measured_load {
  double items = 0;
  double seconds = 0;  // in which it was busy
};

struct balance_policy {
  double least_gain = 0.1;       // the slowest took so much longer than all would with the right weights: else moving elements is not worth it
  double least_seconds = 5e-3;   // that the slowest was busy: of less, much is when the host noticed
  double least_share = 1.0 / 64; // of the largest weight: who gets next to nothing would not be measured any more
  double least_change = 0.05;    // of some weight: cuts that lie on multiples of a grain cannot follow every weight
};

/// Weights in proportion to items per second, with a sum of 1; none where they are to stay as they are, or somebody has not been measured.
///
///   now     with a sum of 1; none: all are alike
///
/// Speeds rather than times are compared, so that launches which weights do not cut (of few items) do not push weights on and on.
///
///     balanced_weights({}, {{{100, 1.0}, {100, 3.0}}})   ->  {0.75, 0.25}
std::vector<double> balanced_weights(std::span<const double> now, std::span<const measured_load> loads, const balance_policy& p = {});

}  // namespace stretto::graph
