#include "platform/routes.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

namespace stretto::places {

double cost_seconds(const place_link& link, std::uint64_t bytes) {
  const double bandwidth = link.bandwidth_bytes_per_second.value_or(assumed_bandwidth_bytes_per_second);
  if (bandwidth <= 0) return std::numeric_limits<double>::infinity();
  return link.latency_seconds.value_or(assumed_latency_seconds) + static_cast<double>(bytes) / bandwidth;
}

std::optional<place> nearest(const graph& g, place from, place_kind kind) {
  std::vector<bool> seen(g.is.places.size(), false);
  std::vector<place> ring{from}, next;
  seen[from.index] = true;
  while (!ring.empty()) {
    place found;
    next.clear();
    for (const place p : ring) {
      if (g.is.places[p.index].kind == kind) found = std::min(found, p);
      for (const auto& e : g.adjacent.of(p))
        if (!seen[e.to]) seen[e.to] = true, next.push_back({e.to});
    }
    if (found) return found;
    ring.swap(next);
  }
  return std::nullopt;
}

cheapest_routes::cheapest_routes(const graph& g, place from, std::uint64_t bytes) : graph_(g), from_(from) {
  constexpr auto unreached = std::numeric_limits<double>::infinity();
  steps_.assign(g.is.places.size(), {unreached, place::none, place::none, place::none});
  using entry = std::tuple<double, std::uint32_t, std::uint32_t>;  // cost, hops, place
  std::priority_queue<entry, std::vector<entry>, std::greater<>> open;
  steps_[from.index] = {0, 0, place::none, place::none};
  open.emplace(0, 0, from.index);
  while (!open.empty()) {
    const auto [cost, hops, at] = open.top();
    open.pop();
    if (cost != steps_[at].cost || hops != steps_[at].hops) continue;
    if (at != from.index && g.is.places[at].kind == place_kind::core) continue;
    for (const auto& e : g.adjacent.of({at})) {
      const double there = cost + cost_seconds(g.is.links[e.link], bytes);
      if (there == unreached) continue;
      auto& s = steps_[e.to];
      const auto offer = std::tuple(there, hops + 1, at);
      if (offer >= std::tuple(s.cost, s.hops, s.before)) continue;
      const bool closer = std::pair(there, hops + 1) != std::pair(s.cost, s.hops);
      s = {there, hops + 1, at, e.link};
      if (closer) open.emplace(there, hops + 1, e.to);
    }
  }
}

std::optional<cheapest_routes::found_route> cheapest_routes::to(place target) const {
  if (steps_[target.index].hops == place::none) return std::nullopt;
  found_route w;
  w.cost_seconds = steps_[target.index].cost;
  w.latency_seconds = 0;
  double slowest = std::numeric_limits<double>::infinity();
  bool known = true;
  for (auto at = target.index;; at = steps_[at].before) {
    w.places.push_back({at});
    if (at == from_.index) break;
    const auto& l = graph_.is.links[steps_[at].link];
    w.legs.push_back({{steps_[at].before}, {at}, l.bandwidth_bytes_per_second, l.latency_seconds});
    known = known && l.bandwidth_bytes_per_second;
    slowest = std::min(slowest, l.bandwidth_bytes_per_second.value_or(slowest));
    if (w.latency_seconds && l.latency_seconds) *w.latency_seconds += *l.latency_seconds;
    else w.latency_seconds.reset();
  }
  // A way without links has no slowest one.
  if (known && w.places.size() > 1) w.bandwidth_bytes_per_second = slowest;
  std::reverse(w.places.begin(), w.places.end());
  std::reverse(w.legs.begin(), w.legs.end());
  return w;
}

}  // namespace stretto::places
