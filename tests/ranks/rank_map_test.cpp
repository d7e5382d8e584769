#include "ranks/nodes/rank_map.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace stretto::ranks;

namespace {

std::vector<int> nodes_of(const rank_map& map) {
  std::vector<int> all;
  for (int r = 0; r < map.ranks(); ++r) all.push_back(map.node_of(world_rank{r}));
  return all;
}

}  // namespace

TEST_CASE("nodes have the numbers of ranks that counts name, also none") {
  const rank_map blocks({3, 0, 1, 2});
  CHECK(blocks.nodes() == 4);
  CHECK(nodes_of(blocks) == std::vector<int>{0, 0, 0, 2, 3, 3});
  CHECK(blocks.ranks_of(1).empty());
  CHECK(blocks.ranks_of(3) == std::vector<world_rank>{world_rank{4}, world_rank{5}});
  CHECK(nodes_of(rank_map({3, 0, 1, 2}, rank_order::cyclic)) == std::vector<int>{0, 2, 3, 0, 3, 0});
  CHECK(rank_map(std::vector<int>{0, 0}).ranks() == 0);
}

TEST_CASE("equal counts give the map of a number of ranks") {
  for (const auto order : {rank_order::blocks, rank_order::cyclic})
    for (int nodes = 1; nodes < 6; ++nodes)
      for (int each = 1; each < 4; ++each)
        CHECK(nodes_of(rank_map(std::vector<int>(static_cast<std::size_t>(nodes), each), order)) ==
              nodes_of(rank_map(nodes * each, nodes, order)));
}

TEST_CASE("positions count the ranks of a node") {
  for (const auto order : {rank_order::blocks, rank_order::cyclic})
    for (const rank_map& map : {rank_map(7, 3, order), rank_map({2, 0, 4}, order)})
      for (int node = 0; node < map.nodes(); ++node) {
        const auto own = map.ranks_of(node);
        for (std::size_t i = 0; i < own.size(); ++i) CHECK(map.position_on_node(own[i]) == static_cast<int>(i));
      }
}
