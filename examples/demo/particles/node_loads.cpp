#include "demo/particles/node_loads.hpp"

#include <algorithm>
#include <numeric>

namespace particles {
namespace {

double imbalance_of(const std::vector<double>& nodes) {
  const double all = std::accumulate(nodes.begin(), nodes.end(), 0.0);
  return all > 0 ? *std::ranges::max_element(nodes) * static_cast<double>(nodes.size()) / all : 1;
}

}  // namespace

imbalances imbalances_of(const std::vector<std::vector<cost>>& patches, std::uint32_t nodes) {
  imbalances found;
  std::size_t steps = patches.empty() ? 0 : patches.front().size();
  for (const auto& one : patches) steps = std::min(steps, one.size());
  for (std::size_t step = 1; step < steps; ++step) {
    std::vector<double> seconds(nodes), pairs(nodes);
    for (const auto& one : patches) {
      const cost& c = one[step];
      seconds[c.node] += c.seconds;
      pairs[c.node] += c.pairs;
    }
    found.of_time.push_back(imbalance_of(seconds));
    found.of_pairs.push_back(imbalance_of(pairs));
  }
  return found;
}

summary summary_of(const std::vector<double>& steps, std::size_t without) {
  if (steps.size() <= without) without = 0;
  if (steps.empty()) return {};
  const auto first = steps.begin() + static_cast<std::ptrdiff_t>(without);
  return {std::accumulate(first, steps.end(), 0.0) / static_cast<double>(steps.end() - first),
          *std::max_element(first, steps.end())};
}

}  // namespace particles
