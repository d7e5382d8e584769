// communicator_creation.hpp - creates communicators: what each rank does, given an exchange of small values.
//
// All ranks of the old communicator call, or those of the group for create_from_group. A rank that does not belong to
// the new communicator gets null.
//
// Threads     one thread of each rank concerned; creations from different communicators may run at once.
// Errors      call_error: arguments as communicator_groups.hpp says, on the ranks that pass them; other if no number is
//             free, on all ranks; for duplicates what the functions of attributes return.
#pragma once

#include <memory>
#include <span>

#include "ranks/communicators/communicator.hpp"
#include "ranks/communicators/communicator_groups.hpp"
#include "ranks/communicators/creation_exchange.hpp"
#include "ranks/communicators/members_table.hpp"
#include "ranks/communicators/number_agreement.hpp"

namespace stretto::ranks {

/// Where a rank creates communicators. The table must outlive these.
struct creation_site {
  creation_exchange& exchange;
  number_table& numbers;  // of the rank
  members_table& node;
  world_rank self;
  /// Of next_creation(), if the caller has counted the creation already.
  std::optional<std::uint32_t> call = {};
};

using created_communicator = std::unique_ptr<communicator>;

/// Same groups; copies properties (communicator.hpp). `handle` is the original's.
created_communicator duplicate(communicator& original, void* handle, const creation_site& site);

/// By color and key. Of an intercommunicator: only colors with ranks on both sides give new ones.
created_communicator split(communicator& parent, const split_choice& choice, const creation_site& site);

/// The members of a group, which is a part of the local group. Ranks of an intracommunicator may pass disjoint groups,
/// and those that are in none an empty one. Of an intercommunicator: with the group that the other side passes.
created_communicator create(communicator& parent, const group& chosen, const creation_site& site);

/// The members of a group, which alone call; the exchange is among them. The key is key_of_group(): of the parent of
/// MPI_Comm_create_group, whose check_subgroup() and error handler are the caller's to apply, or of `creation_number`
/// for MPI_Comm_create_from_group.
created_communicator create_from_group(const group& chosen, const agreement_key& key, const creation_site& site);

/// Joins two groups, each that of a side's `local` communicator; the exchange trades between them. `leader` is the
/// rank in `local` that the exchange uses for it.
created_communicator create_intercommunicator(communicator& local, int leader, const creation_site& site);

/// One group of both sides.
created_communicator merge(communicator& both, bool is_high, const creation_site& site);

/// The first ranks, as many as the topology has places. A neighbor_graph has a place for each rank. `order` has the
/// rank in `parent` at each place, as place_agreement.hpp gives it; empty: ranks keep their order.
created_communicator arrange(communicator& parent, topology arrangement, const creation_site& site,
                             std::span<const int> order = {});

/// The part of a Cartesian grid in the dimensions that are kept.
created_communicator part_of_grid(communicator& grid, const std::vector<bool>& is_kept, const creation_site& site);

}  // namespace stretto::ranks
