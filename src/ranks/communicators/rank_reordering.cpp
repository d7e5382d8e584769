// rank_reordering.cpp - tries several orders of places, improves each by exchanges, and takes the best.
#include "ranks/communicators/rank_reordering.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "ranks/communicators/place_exchanges.hpp"
#include "ranks/communicators/place_orders.hpp"

namespace stretto::ranks {

namespace {

std::vector<rank_location> sorted_locations(std::span<const rank_location> ranks) {
  std::vector<rank_location> sorted(ranks.begin(), ranks.end());
  std::ranges::sort(sorted);
  return sorted;
}

/// Ranks of each location keep their order.
std::vector<int> ranks_at(std::span<const rank_location> at_places, std::span<const rank_location> ranks) {
  std::map<rank_location, std::vector<int>> by_location;
  for (std::size_t rank = ranks.size(); rank-- > 0;) by_location[ranks[rank]].push_back(static_cast<int>(rank));
  std::vector<int> chosen;
  for (const rank_location& at : at_places) {
    std::vector<int>& left = by_location[at];
    chosen.push_back(left.back());
    left.pop_back();
  }
  return chosen;
}

/// From the order of ranks, and from each of the given orders of places, which take the locations as they are sorted.
std::vector<int> best_of(const place_graph& graph, std::span<const rank_location> ranks,
                         const std::vector<std::vector<int>>& orders) {
  const std::vector<rank_location> sorted = sorted_locations(ranks);
  std::vector<rank_location> best(ranks.begin(), ranks.end());
  crossing_weight least = crossings(graph, best);
  const auto consider = [&](std::vector<rank_location> at_places) {
    exchange_places(graph, at_places);
    const crossing_weight weight = crossings(graph, at_places);
    if (weight < least) least = weight, best = std::move(at_places);
  };
  consider(best);
  for (const std::vector<int>& order : orders) {
    std::vector<rank_location> at_places(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) at_places[static_cast<std::size_t>(order[i])] = sorted[i];
    consider(std::move(at_places));
  }
  return ranks_at(best, ranks);
}

}  // namespace

crossing_weight crossings(const place_graph& graph, std::span<const rank_location> at_places) {
  crossing_weight twice;
  for (int place = 0; place < graph.places(); ++place) {
    const rank_location here = at_places[static_cast<std::size_t>(place)];
    for (const auto& [other, weight] : graph.links(place)) {
      const rank_location there = at_places[static_cast<std::size_t>(other)];
      if (here.node != there.node) {
        twice.between_nodes += weight;
      } else if (here != there) {
        twice.between_workers += weight;
      }
    }
  }
  return {twice.between_nodes / 2, twice.between_workers / 2};
}

std::vector<int> near_ranks(const cartesian_grid& grid, std::span<const rank_location> ranks) {
  const place_graph graph(grid);
  const std::vector<rank_location> sorted = sorted_locations(ranks);
  return best_of(graph, ranks, {order_by_blocks(grid, sorted), order_by_growth(graph, sorted)});
}

std::vector<int> near_ranks(const place_graph& graph, std::span<const rank_location> ranks) {
  const std::vector<rank_location> sorted = sorted_locations(ranks);
  std::vector<int> as_they_are;
  for (int place = 0; place < graph.places(); ++place) as_they_are.push_back(place);
  return best_of(graph, ranks, {std::move(as_they_are), order_by_growth(graph, sorted)});
}

}  // namespace stretto::ranks
