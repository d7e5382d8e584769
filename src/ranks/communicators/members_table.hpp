// members_table.hpp - the communicator_members of a node, so that its ranks share one object for each communicator.
//
// Threads     any.
// Cost        a lock and a search, when a communicator is created.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "ranks/communicators/communicator.hpp"

namespace stretto::ranks {

class members_table {
 public:
  /// All ranks are on one node.
  members_table() = default;
  /// `node_of` says on which node a rank is.
  explicit members_table(std::function<int(world_rank)> node_of) : node_of_(std::move(node_of)) {}

  /// The node of each member; empty if all are on one node.
  std::vector<int> nodes_of(const group& members) const;
  /// The object that equals `members`: the one that another rank of the node has, or a new one.
  std::shared_ptr<const communicator_members> share(communicator_members members);
  /// Those of a communicator that the rank belongs to; null if they are unknown.
  std::shared_ptr<const communicator_members> find(communicator_number number, world_rank member);

 private:
  /// Communicators with the same number have no common rank, so their first members differ. One that some ranks have
  /// freed may still be here when its number is used for another one: then the members differ.
  using key = std::pair<communicator_number, world_rank>;

  const std::function<int(world_rank)> node_of_;
  std::mutex mutex_;
  std::map<key, std::weak_ptr<const communicator_members>> all_;
};

}  // namespace stretto::ranks
