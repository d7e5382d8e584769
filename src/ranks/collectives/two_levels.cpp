// two_levels.cpp - sorts the ranks of a group by nodes.
#include "ranks/collectives/two_levels.hpp"

#include <algorithm>
#include <unordered_set>

namespace stretto::ranks {

namespace {

std::size_t number_of_nodes(std::span<const int> nodes) {
  return std::unordered_set<int>(nodes.begin(), nodes.end()).size();
}

}  // namespace

bool two_levels::are_useful(const collective_group& group) {
  if (group.nodes.empty()) return false;
  const std::size_t nodes = number_of_nodes(group.nodes);
  return nodes > 1 && nodes < group.nodes.size();
}

bool two_levels::are_ordered(const collective_group& group) {
  std::size_t changes = 1;
  for (std::size_t i = 1; i < group.nodes.size(); ++i) changes += group.nodes[i] != group.nodes[i - 1];
  return changes == number_of_nodes(group.nodes);
}

two_levels::two_levels(const collective_group& group, int root) : concurrency_(group.concurrency) {
  const auto node_of = [&](int rank) { return group.nodes[static_cast<std::size_t>(rank)]; };
  std::unordered_set<int> seen;
  for (int rank = 0; rank < group.size; ++rank) {
    const bool is_root_node = node_of(rank) == node_of(root), is_here = node_of(rank) == node_of(group.rank);
    const bool is_first = seen.insert(node_of(rank)).second;
    const int leader_rank = is_root_node ? root : rank;
    if (is_first && is_here) leaders_index_ = static_cast<int>(leaders_.size());
    if (is_first && is_root_node) root_leader_ = static_cast<int>(leaders_.size());
    if (is_first) leaders_.push_back(leader_rank);
    if (!is_here) continue;
    if (rank == group.rank) node_index_ = static_cast<int>(node_.size());
    node_.push_back(rank);
  }
  const auto found = std::ranges::find(node_, leaders_[static_cast<std::size_t>(leaders_index_)]);
  leader_ = static_cast<int>(found - node_.begin());
}

}  // namespace stretto::ranks
