#include "graph/balance_weights.hpp"

#include <algorithm>
#include <cmath>

namespace stretto::graph {

std::vector<double> balanced_weights(std::span<const double> now, std::span<const measured_load> loads,
                                     const balance_policy& p) {
  if (loads.size() < 2) return {};
  double items = 0, speeds = 0, slowest = 0;
  std::vector<double> weights;
  for (const measured_load& l : loads) {
    if (!(l.items > 0 && l.seconds > 0)) return {};
    items += l.items;
    slowest = std::max(slowest, l.seconds);
    speeds += weights.emplace_back(l.items / l.seconds);
  }
  if (slowest < p.least_seconds || slowest < (1 + p.least_gain) * items / speeds) return {};
  const double least = p.least_share * *std::ranges::max_element(weights);
  double all = 0;
  for (double& w : weights) all += w = std::max(w, least);
  bool changes = false;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] /= all;
    const double before = now.empty() ? 1.0 / static_cast<double>(weights.size()) : now[i];
    changes = changes || std::abs(weights[i] - before) > p.least_change * before;
  }
  return changes ? weights : std::vector<double>();
}

}  // namespace stretto::graph
