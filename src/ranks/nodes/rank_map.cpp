// rank_map.cpp - blocks: the first `ranks % nodes` nodes have one rank more than the others.
#include "ranks/nodes/rank_map.hpp"

namespace stretto::ranks {

int rank_map::node_of(world_rank rank) const {
  const int r = static_cast<int>(rank), least = ranks_ / nodes_, larger = ranks_ % nodes_;
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

}  // namespace stretto::ranks
