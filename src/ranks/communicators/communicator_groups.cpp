// communicator_groups.cpp - sorts ranks by what they chose.
#include "ranks/communicators/communicator_groups.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "ranks/call_error.hpp"
#include "ranks/communicators/group_operations.hpp"

namespace stretto::ranks {

void check_color(int color) {
  if (color >= 0 || color == no_rank) return;
  throw call_error(error_class::argument, "the color is " + std::to_string(color));
}

group split_group(const group& parent, std::span<const split_choice> choices, int color) {
  std::vector<int> ranks;
  for (int rank = 0; rank < parent.size(); ++rank) {
    if (color != no_rank && choices[rank].color == color) ranks.push_back(rank);
  }
  std::ranges::stable_sort(ranks, {}, [&](int rank) { return choices[rank].key; });
  return included(parent, ranks);
}

int type_color(split_kind kind, node_list nodes, int rank, const char* resource) {
  const int node = nodes[rank];
  const bool is_one_node = std::ranges::all_of(nodes, [&](int each) { return each == node; });
  switch (kind) {
    case split_kind::shared_memory: return node;
    case split_kind::hardware_unguided: return is_one_node ? no_rank : node;
    case split_kind::hardware_guided:
    case split_kind::resource_guided: return resource && resource == node_resource ? node : no_rank;
  }
  throw call_error(error_class::argument, "split type " + std::to_string(static_cast<int>(kind)) + " is none of MPI's");
}

void check_subgroup(const group& parent, const group& chosen) {
  for (int rank = 0; rank < chosen.size(); ++rank) {
    if (parent.contains(chosen[rank])) continue;
    throw call_error(error_class::group,
                     "rank " + std::to_string(rank) + " of the group is not in the communicator's group");
  }
}

void check_disjoint(const group& local, const group& remote) {
  if (intersection_of(local, remote).is_empty()) return;
  throw call_error(error_class::comm, "the groups of the intercommunicator have a common rank");
}

group merged_group(const merged_side& local, const merged_side& remote) {
  const bool is_local_first = local.is_high != remote.is_high ? remote.is_high : local.members[0] < remote.members[0];
  return is_local_first ? union_of(local.members, remote.members) : union_of(remote.members, local.members);
}

}  // namespace stretto::ranks
