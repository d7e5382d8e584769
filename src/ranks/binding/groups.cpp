// groups.cpp - the functions MPI_Group_*, and the groups of communicators.
#include <span>
#include <vector>

#include "ranks/binding/call.hpp"
#include "ranks/communicators/group_operations.hpp"

namespace stretto::ranks {

namespace {

std::span<const int> rank_list(const int* ranks, int count) {
  if (count < 0) throw call_error(error_class::argument, "n is " + std::to_string(count));
  if (count > 0) required(ranks, "ranks");
  return {ranks, static_cast<std::size_t>(count)};
}

std::vector<group_range> range_list(const int (*ranges)[3], int count) {
  if (count < 0) throw call_error(error_class::argument, "n is " + std::to_string(count));
  if (count > 0) required(ranges, "ranges");
  std::vector<group_range> all;
  for (int i = 0; i < count; ++i) all.push_back({ranges[i][0], ranges[i][1], ranges[i][2]});
  return all;
}

/// Makes a group by an operation on two.
int combine(const char* name, MPI_Group one, MPI_Group other, MPI_Group* result,
            group (*operation)(const group&, const group&)) {
  return call(name, [&] { required(result, "newgroup") = new_handle(operation(object_of(one), object_of(other))); });
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Group_size(MPI_Group group, int* size) {
  return call("MPI_Group_size", [&] { required(size, "size") = object_of(group).size(); });
}
STRETTO_MPI_NAME(Group_size)

int PMPI_Group_rank(MPI_Group group, int* rank) {
  return call("MPI_Group_rank", [&] {
    const rank_state& state = current_rank();
    const world_rank self = state.world.members().local[state.world.rank()];
    required(rank, "rank") = object_of(group).rank_of(self).value_or(MPI_UNDEFINED);
  });
}
STRETTO_MPI_NAME(Group_rank)

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) {
  return call("MPI_Group_translate_ranks", [&] {
    const auto ranks = rank_list(ranks1, n);
    if (n > 0) required(ranks2, "ranks2");
    translate_ranks(object_of(group1), ranks, object_of(group2), {ranks2, ranks.size()});
  });
}
STRETTO_MPI_NAME(Group_translate_ranks)

int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int* result) {
  return call("MPI_Group_compare",
              [&] { required(result, "result") = static_cast<int>(compare(object_of(group1), object_of(group2))); });
}
STRETTO_MPI_NAME(Group_compare)

int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return combine("MPI_Group_union", group1, group2, newgroup, union_of);
}
STRETTO_MPI_NAME(Group_union)

int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return combine("MPI_Group_intersection", group1, group2, newgroup, intersection_of);
}
STRETTO_MPI_NAME(Group_intersection)

int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return combine("MPI_Group_difference", group1, group2, newgroup, difference_of);
}
STRETTO_MPI_NAME(Group_difference)

int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return call("MPI_Group_incl",
              [&] { required(newgroup, "newgroup") = new_handle(included(object_of(group), rank_list(ranks, n))); });
}
STRETTO_MPI_NAME(Group_incl)

int PMPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return call("MPI_Group_excl",
              [&] { required(newgroup, "newgroup") = new_handle(excluded(object_of(group), rank_list(ranks, n))); });
}
STRETTO_MPI_NAME(Group_excl)

int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return call("MPI_Group_range_incl", [&] {
    required(newgroup, "newgroup") = new_handle(ranges_included(object_of(group), range_list(ranges, n)));
  });
}
STRETTO_MPI_NAME(Group_range_incl)

int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return call("MPI_Group_range_excl", [&] {
    required(newgroup, "newgroup") = new_handle(ranges_excluded(object_of(group), range_list(ranges, n)));
  });
}
STRETTO_MPI_NAME(Group_range_excl)

int PMPI_Group_free(MPI_Group* group) {
  return call("MPI_Group_free", [&] {
    const auto& freed = object_of(required(group, "group"));
    if (!is_predefined(*group)) delete &freed;
    *group = MPI_GROUP_NULL;
  });
}
STRETTO_MPI_NAME(Group_free)

int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  return call("MPI_Comm_group", comm, [&] { required(group, "group") = new_handle(object_of(comm).members().local); });
}
STRETTO_MPI_NAME(Comm_group)

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  return call("MPI_Comm_remote_group", comm, [&] {
    const auto& remote = object_of(comm).members().remote;
    if (!remote) throw call_error(error_class::comm, "the communicator is no intercommunicator");
    required(group, "group") = new_handle(*remote);
  });
}
STRETTO_MPI_NAME(Comm_remote_group)

}  // extern "C"
