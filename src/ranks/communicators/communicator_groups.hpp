// communicator_groups.hpp - the groups of new communicators, from what the ranks of the old one contributed.
//
// Each rank computes these from the same gathered values, so that all know the same new groups.
//
// Threads     pure.
// Cost        O(n log n) for n ranks of the old communicator.
// Errors      call_error, as each function says.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ranks/communicators/group.hpp"

namespace stretto::ranks {

/// The arguments of a rank to MPI_Comm_split. The color `no_rank` (MPI_UNDEFINED): it gets no communicator.
struct split_choice {
  int color = no_rank;
  int key = 0;

  friend bool operator==(const split_choice&, const split_choice&) = default;
};

/// Throws call_error(argument) for a color that is negative and not MPI_UNDEFINED.
void check_color(int color);

/// The members of `parent` that chose this color, by key, and by rank where keys are equal. `choices` has an entry for
/// each rank of `parent`. Of an intercommunicator each side is split in this way by the color of one rank, which gets
/// no communicator if one of the results is empty.
group split_group(const group& parent, std::span<const split_choice> choices, int color);

/// How MPI_Comm_split_type splits; the numbers are those of the ABI.
enum class split_kind : int { shared_memory = 221, hardware_unguided, hardware_guided, resource_guided };

/// Where ranks run: the node of each rank of a communicator.
using node_list = std::span<const int>;

/// The only hardware that is known: a node.
inline constexpr std::string_view node_resource = "mpi_shared_memory";

/// The color by which the rank at `rank` is split: by shared memory, by a guided split for node_resource, and by an
/// unguided one where there are several nodes; else `no_rank`.
int type_color(split_kind kind, node_list nodes, int rank, const char* resource);

/// Throws call_error(group) unless all members of `chosen` are in `parent`, as for MPI_Comm_create.
void check_subgroup(const group& parent, const group& chosen);

/// Throws call_error(comm) if the groups of a new intercommunicator have a common member.
void check_disjoint(const group& local, const group& remote);

/// One side of an intercommunicator that is merged: what its ranks pass to MPI_Intercomm_merge.
struct merged_side {
  group members;
  bool is_high = false;
};

/// The members of both sides, those of the low one first. If both pass the same value, the side whose first member has
/// the lower world rank is first. Both sides get the same group.
group merged_group(const merged_side& local, const merged_side& remote);

}  // namespace stretto::ranks
