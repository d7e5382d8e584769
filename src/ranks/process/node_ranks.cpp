#include "ranks/process/node_ranks.hpp"

namespace stretto::ranks {

namespace {

void keep_end_of_process(completion&) noexcept {}
std::string describe_end_of_process(const completion&) { return "the end of the process"; }
constexpr request_kind kind_of_end_of_process{{keep_end_of_process, describe_end_of_process}};

}  // namespace

node_ranks::node_ranks(const rank_map& map)
    : map_(map),
      peers_(static_cast<std::size_t>(map.ranks())),
      members_(std::make_shared<members_table>([map](world_rank rank) { return map.node_of(rank); })),
      world_(members_->share(
          {.number = world_number, .local = group(world_rank{0}, map.ranks()), .remote = {}, .local_number = {}})) {}

std::shared_ptr<node_meeting> node_ranks::meeting_of(const std::shared_ptr<const communicator_members>& members) {
  if (members->is_intercommunicator()) return nullptr;
  for (int i = 0; i < members->local.size(); ++i)
    if (!reach(members->local[i]).local) return nullptr;
  return meetings_.share(members, workers_);
}

void node_ranks::wait_for_end() {
  request never(kind_of_end_of_process);
  never.activate();
  for (;;) wait_for(never);
}

}  // namespace stretto::ranks
