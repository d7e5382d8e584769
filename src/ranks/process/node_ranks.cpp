#include "ranks/process/node_ranks.hpp"

namespace stretto::ranks {

node_ranks::node_ranks(int size)
    : peers_(static_cast<std::size_t>(size)),
      world_(members_->share(
          {.number = world_number, .local = group(world_rank{0}, size), .remote = {}, .local_number = {}})) {}

std::shared_ptr<node_meeting> node_ranks::meeting_of(const std::shared_ptr<const communicator_members>& members) {
  if (members->is_intercommunicator()) return nullptr;
  for (int i = 0; i < members->local.size(); ++i)
    if (!reach(members->local[i]).local) return nullptr;
  return meetings_.share(members, workers_);
}

}  // namespace stretto::ranks
