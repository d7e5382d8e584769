#include "platform/copy_routes.hpp"

namespace stretto::places {

std::optional<transfer_route> copy_routes::route(place from, place to, std::uint64_t bytes) const {
  const std::size_t first = end_at[from.index], last = end_at[to.index];
  // Both ends, and the memories through which copies may pass. cheapest_copy knows them by their index here.
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (is_passed[i] || i == first || i == last) candidates.push_back(i);
  const auto position = [&](std::size_t end) {
    return static_cast<std::size_t>(std::ranges::find(candidates, end) - candidates.begin());
  };
  const auto direct_between = [&](std::size_t a, std::size_t b) { return direct(candidates[a], candidates[b]); };
  const std::vector<std::size_t> path =
      cheapest_copy(candidates.size(), direct_between, position(first), position(last), bytes);
  if (path.empty()) return std::nullopt;
  transfer_route r;
  double slowest = std::numeric_limits<double>::infinity(), latency_of_all = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    r.places.push_back(i == 0 ? from : i + 1 == path.size() ? to : ends[candidates[path[i]]]);
    if (i == 0) continue;
    const channel_figures figures = *direct(candidates[path[i - 1]], candidates[path[i]]);
    r.legs.push_back({r.places[i - 1], r.places[i], figures.bandwidth_bytes_per_second, figures.latency_seconds});
    slowest = std::min(slowest, figures.bandwidth_bytes_per_second);
    latency_of_all += figures.latency_seconds;
  }
  r.bandwidth_bytes_per_second = slowest;
  r.latency_seconds = latency_of_all;
  return r;
}

}  // namespace stretto::places
