// place_orders.cpp - recursive cuts of grids, and greedy growth of groups.
#include "ranks/communicators/place_orders.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

namespace stretto::ranks {

namespace {

constexpr int most_grown_places = 2'048;

struct grid_block {
  std::vector<int> first, size;

  int volume() const { return std::accumulate(size.begin(), size.end(), 1, std::multiplies<>()); }
};

/// After `places` of a block, in `layers` layers along the axis.
struct block_cut {
  std::size_t axis = 0;
  int layers = 0;
  std::int64_t links = 0;  // that it cuts
  std::int64_t imbalance = 0;

  std::pair<std::int64_t, std::int64_t> cost() const { return {links, imbalance}; }
};

class block_order {
 public:
  block_order(const cartesian_grid& grid, std::span<const rank_location> sorted) : grid_(grid), sorted_(sorted) {
    grid_block whole;
    for (const grid_dimension& each : grid.dimensions()) whole.first.push_back(0), whole.size.push_back(each.size);
    divide(whole, 0);
  }

  std::vector<int> take() { return std::move(order_); }

 private:
  /// The block's places take the locations from `begin` on.
  void divide(const grid_block& block, std::size_t begin) {
    const auto cut = best_cut(block, begin);
    if (!cut) return append(block);
    grid_block low = block, high = block;
    low.size[cut->axis] = cut->layers;
    high.first[cut->axis] += cut->layers;
    high.size[cut->axis] -= cut->layers;
    divide(low, begin);
    divide(high, begin + static_cast<std::size_t>(low.volume()));
  }

  /// Between two nodes if there are several, else between two workers; none if no layer ends there.
  std::optional<block_cut> best_cut(const grid_block& block, std::size_t begin) const {
    const int volume = block.volume();
    const auto locations = sorted_.subspan(begin, static_cast<std::size_t>(volume));
    if (locations.empty() || locations.front() == locations.back()) return {};
    const bool has_several_nodes = locations.front().node != locations.back().node;
    std::optional<block_cut> best;
    for (int places = 1; places < volume; ++places) {
      const rank_location before = locations[static_cast<std::size_t>(places) - 1],
                          after = locations[static_cast<std::size_t>(places)];
      if (has_several_nodes ? before.node == after.node : before == after) continue;
      for (std::size_t axis = 0; axis < block.size.size(); ++axis) {
        const int layer = volume / block.size[axis];
        if (places % layer != 0) continue;
        const auto [size, is_periodic] = grid_.dimensions()[axis];
        const bool is_ring = is_periodic && block.size[axis] == size;
        const block_cut cut{axis, places / layer, std::int64_t{layer} * (is_ring ? 2 : 1),
                            std::abs(2 * std::int64_t{places} - volume)};
        if (!best || cut.cost() < best->cost()) best = cut;
      }
    }
    return best;
  }

  /// Row by row along the longest axis, so that groups of places are not longer than they must be.
  void append(const grid_block& block) {
    std::vector<std::size_t> axes(block.size.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::ranges::stable_sort(axes, std::greater<>(), [&](std::size_t axis) { return block.size[axis]; });
    const int volume = block.volume();
    std::vector<int> coordinates(axes.size());
    for (int i = 0; i < volume; ++i) {
      int rest = i;
      for (std::size_t n = axes.size(); n-- > 0;) {
        const std::size_t axis = axes[n];
        coordinates[axis] = block.first[axis] + rest % block.size[axis];
        rest /= block.size[axis];
      }
      order_.push_back(grid_.rank_of(coordinates));
    }
  }

  const cartesian_grid& grid_;
  const std::span<const rank_location> sorted_;
  std::vector<int> order_;
};

class grown_order {
 public:
  explicit grown_order(const place_graph& graph) : graph_(graph), links_(static_cast<std::size_t>(graph.places())) {}

  std::vector<int> grow(std::span<const rank_location> sorted) {
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i > 0 && sorted[i] != sorted[i - 1]) forget(on_worker);
      if (i > 0 && sorted[i].node != sorted[i - 1].node) forget(on_node);
      add(best_place());
    }
    return std::move(order_);
  }

 private:
  enum level : std::size_t { on_worker, on_node, anywhere };
  /// The weight of a place's links to those that are there.
  struct place_links {
    bool is_there = false;
    std::array<std::int64_t, 3> weights{};
  };

  void forget(level which) {
    for (place_links& each : links_) each.weights[which] = 0;
  }

  int best_place() const {
    const auto is_better = [](const place_links& a, const place_links& b) {
      return std::pair(a.is_there, b.weights) < std::pair(b.is_there, a.weights);
    };
    return static_cast<int>(std::ranges::min_element(links_, is_better) - links_.begin());
  }

  void add(int place) {
    links_[static_cast<std::size_t>(place)].is_there = true;
    order_.push_back(place);
    for (const auto& [other, weight] : graph_.links(place)) {
      for (std::int64_t& sum : links_[static_cast<std::size_t>(other)].weights) sum += weight;
    }
  }

  const place_graph& graph_;
  std::vector<place_links> links_;
  std::vector<int> order_;
};

}  // namespace

std::vector<int> order_by_blocks(const cartesian_grid& grid, std::span<const rank_location> sorted) {
  return block_order(grid, sorted).take();
}

std::vector<int> order_by_growth(const place_graph& graph, std::span<const rank_location> sorted) {
  if (graph.places() <= most_grown_places) return grown_order(graph).grow(sorted);
  std::vector<int> order(static_cast<std::size_t>(graph.places()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace stretto::ranks
