// rank_map.hpp - which node runs which ranks of the job.
//
// Threads     values.
// Cost        node_of: O(1).
// Invariants  (1) without counts, every node has as many ranks as any other, or one less.
#pragma once

#include <cstdint>
#include <vector>

#include "ranks/communicators/group.hpp"

namespace stretto::ranks {

/// blocks: consecutive ranks share a node. cyclic: consecutive ranks are on consecutive nodes.
enum class rank_order : std::uint8_t { blocks, cyclic };

class rank_map {
 public:
  /// Both numbers are at least 1.
  rank_map(int ranks, int nodes, rank_order order = rank_order::blocks) : ranks_(ranks), nodes_(nodes), order_(order) {}
  /// The number of ranks of each node, which may be 0.
  explicit rank_map(const std::vector<int>& counts, rank_order order = rank_order::blocks);

  int ranks() const { return ranks_; }
  int nodes() const { return nodes_; }
  int node_of(world_rank rank) const;
  /// In ascending order; none if there are more nodes than ranks.
  std::vector<world_rank> ranks_of(int node) const;
  /// The position of a rank among those of its node. Cost: O(ranks).
  int position_on_node(world_rank rank) const;

 private:
  int ranks_, nodes_;
  rank_order order_;
  std::vector<int> unlike_;  // with counts: the node of each rank
};

}  // namespace stretto::ranks
