// rank_map.cpp - blocks: the first `ranks % nodes` nodes have one rank more than the others, unless counts say
// otherwise.
#include "ranks/nodes/rank_map.hpp"

#include <algorithm>
#include <numeric>

namespace stretto::ranks {

rank_map::rank_map(const std::vector<int>& counts, rank_order order)
    : ranks_(std::accumulate(counts.begin(), counts.end(), 0)), nodes_(static_cast<int>(counts.size())), order_(order) {
  const int rounds = order == rank_order::cyclic && ranks_ > 0 ? std::ranges::max(counts) : 1;
  for (int round = 0; round < rounds; ++round)
    for (int node = 0; node < nodes_; ++node) {
      const int count = counts[static_cast<std::size_t>(node)];
      const int placed = order == rank_order::blocks ? count : round < count ? 1 : 0;
      unlike_.insert(unlike_.end(), static_cast<std::size_t>(placed), node);
    }
}

int rank_map::node_of(world_rank rank) const {
  const int r = static_cast<int>(rank), least = ranks_ / nodes_, larger = ranks_ % nodes_;
  if (!unlike_.empty()) return unlike_[static_cast<std::size_t>(r)];
  if (order_ == rank_order::cyclic) return r % nodes_;
  const int in_larger = larger * (least + 1);
  return r < in_larger ? r / (least + 1) : larger + (r - in_larger) / least;
}

std::vector<world_rank> rank_map::ranks_of(int node) const {
  std::vector<world_rank> all;
  for (int r = 0; r < ranks_; ++r) {
    if (node_of(world_rank{r}) == node) all.push_back(world_rank{r});
  }
  return all;
}

int rank_map::position_on_node(world_rank rank) const {
  int position = 0;
  for (int r = 0; r < static_cast<int>(rank); ++r) position += node_of(world_rank{r}) == node_of(rank) ? 1 : 0;
  return position;
}

}  // namespace stretto::ranks
