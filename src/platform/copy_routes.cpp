#include "platform/copy_routes.hpp"

namespace stretto::places {

std::optional<transfer_route> copy_routes::route(place from, place to, std::uint64_t bytes) const {
  const std::size_t first = end_at[from.index], last = end_at[to.index];
  std::vector<std::size_t> among;  // these, as cheapest_copy counts
  for (std::size_t i = 0; i < ends.size(); ++i)
    if (is_passed[i] || i == first || i == last) among.push_back(i);
  const auto position = [&](std::size_t end) {
    return static_cast<std::size_t>(std::ranges::find(among, end) - among.begin());
  };
  const auto channel = [&](std::size_t a, std::size_t b) { return direct(among[a], among[b]); };
  const std::vector<std::size_t> way = cheapest_copy(among.size(), channel, position(first), position(last), bytes);
  if (way.empty()) return std::nullopt;
  transfer_route r;
  double slowest = std::numeric_limits<double>::infinity(), latency_of_all = 0;
  for (std::size_t i = 0; i < way.size(); ++i) {
    r.places.push_back(i == 0 ? from : i + 1 == way.size() ? to : ends[among[way[i]]]);
    if (i == 0) continue;
    const channel_figures by = *direct(among[way[i - 1]], among[way[i]]);
    r.legs.push_back({r.places[i - 1], r.places[i], by.bandwidth_bytes_per_second, by.latency_seconds});
    slowest = std::min(slowest, by.bandwidth_bytes_per_second);
    latency_of_all += by.latency_seconds;
  }
  r.bandwidth_bytes_per_second = slowest;
  r.latency_seconds = latency_of_all;
  return r;
}

}  // namespace stretto::places
