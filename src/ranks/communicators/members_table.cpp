// members_table.cpp - weak references by number and first member.
#include "ranks/communicators/members_table.hpp"

#include <algorithm>

namespace stretto::ranks {

std::vector<int> members_table::nodes_of(const group& members) const {
  std::vector<int> nodes;
  for (int rank = 0; node_of_ && rank < members.size(); ++rank) nodes.push_back(node_of_(members[rank]));
  if (std::ranges::count(nodes, nodes.empty() ? 0 : nodes[0]) == std::ssize(nodes)) nodes.clear();
  return nodes;
}

std::shared_ptr<const communicator_members> members_table::share(communicator_members members) {
  members.nodes = nodes_of(members.local);
  const std::lock_guard lock(mutex_);
  std::erase_if(all_, [](const auto& entry) { return entry.second.expired(); });
  auto& known = all_[{members.number, members.local.is_empty() ? world_rank{-1} : members.local[0]}];
  auto shared = known.lock();
  if (!shared || *shared != members) {
    shared = std::make_shared<const communicator_members>(std::move(members));
    known = shared;
  }
  return shared;
}

std::shared_ptr<const communicator_members> members_table::find(communicator_number number, world_rank member) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [key, one] : all_) {
    const auto members = one.lock();
    if (members && (members->number == number || members->local_number == number) && members->local.rank_of(member))
      return members;
  }
  return nullptr;
}

}  // namespace stretto::ranks
