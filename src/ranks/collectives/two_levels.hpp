// two_levels.hpp - the ranks of a group by nodes, for collectives that combine within each node and then between one
// rank of each, its leader.
//
// Threads     pure.
// Cost        O(ranks).
// Invariants  (1) a node's leader is its lowest rank; on the node of `root` it is `root`. (2) leaders are in the order
//             of the nodes' lowest ranks.
#pragma once

#include <vector>

#include "ranks/collectives/team.hpp"

namespace stretto::ranks {

class two_levels {
 public:
  /// Whether the group has several nodes, and one of them has several ranks.
  static bool are_useful(const collective_group& group);
  /// Whether the ranks of each node are consecutive: then operations that do not commute may combine by nodes, too.
  static bool are_ordered(const collective_group& group);

  explicit two_levels(const collective_group& group, int root = 0);
  two_levels(const two_levels&) = delete;
  two_levels& operator=(const two_levels&) = delete;

  /// The ranks of this rank's node, in the order of ranks.
  team node() const { return {node_index_, static_cast<int>(node_.size()), node_.data(), concurrency_}; }
  /// The leader's index in node().
  int leader() const { return leader_; }
  bool is_leader() const { return node_index_ == leader_; }
  /// The leaders of all nodes, as one of them sees them; other ranks must not call it. All leaders can run at once.
  team leaders() const { return {leaders_index_, static_cast<int>(leaders_.size()), leaders_.data()}; }
  /// The index of the root's leader in leaders().
  int root_leader() const { return root_leader_; }

 private:
  std::vector<int> node_, leaders_;  // ranks
  int concurrency_;
  int node_index_ = 0, leader_ = 0;
  int leaders_index_ = 0, root_leader_ = 0;  // of the leader of this rank's node; of the root
};

}  // namespace stretto::ranks
