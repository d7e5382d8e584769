// group_operations.hpp - MPI's operations on groups.
//
// Threads     pure.
// Cost        O(n) where both groups are at regular distances, else O(n log n); n: members of both groups.
// Errors      call_error: rank for a rank that no member has, or that occurs twice; argument for ranges.
#pragma once

#include <span>

#include "ranks/communicators/group.hpp"

namespace stretto::ranks {

/// How two groups or communicators compare; the numbers are those of the ABI.
enum class comparison : int {
  identical = 201,  // groups: same members, same order; communicators: the same communicator
  congruent = 202,  // communicators only: groups are identical
  similar = 203,    // same members in another order
  unequal = 204
};

comparison compare(const group& a, const group& b);

/// The members of `a` in their order, then those of `b` that are not in `a` in their order.
group union_of(const group& a, const group& b);
/// The members of `a` that are in `b`, in the order of `a`.
group intersection_of(const group& a, const group& b);
/// The members of `a` that are not in `b`, in the order of `a`.
group difference_of(const group& a, const group& b);

/// The members with these ranks, in this order.
group included(const group& all, std::span<const int> ranks);
/// All members but those with these ranks, in the order of `all`.
group excluded(const group& all, std::span<const int> ranks);

/// The ranks first, first + stride, ... that are not beyond `last`.
struct group_range {
  int first = 0;
  int last = 0;
  int stride = 1;
};

group ranges_included(const group& all, std::span<const group_range> ranges);
group ranges_excluded(const group& all, std::span<const group_range> ranges);

/// Writes for each rank in `from` the rank of the same member in `to`: `no_rank` if it is none there. `null_process`
/// stays. `translated` is as long as `ranks`.
void translate_ranks(const group& from, std::span<const int> ranks, const group& to, std::span<int> translated);

}  // namespace stretto::ranks
