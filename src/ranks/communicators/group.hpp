// group.hpp - an ordered set of ranks of the job, as MPI_Group is one.
//
// Threads     immutable; copies share their members.
// Memory      a group at regular distances, as the world, has no list; others have 12 bytes for each member.
// Cost        copy, size, operator[]: O(1). rank_of: O(1) at regular distances, else O(log size).
// Invariants  (1) no member occurs twice. (2) members at regular distances have no list, so that equal groups have
//             equal representations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ranks/special_ranks.hpp"

namespace stretto::ranks {

/// The number of a rank among all ranks of the job, which is its rank in MPI_COMM_WORLD.
enum class world_rank : std::int32_t {};

class group {
 public:
  /// No members, as MPI_GROUP_EMPTY.
  group() = default;
  /// `size` ranks from `first` on, each `stride` after the one before; `stride` is not 0.
  group(world_rank first, int size, int stride = 1);
  /// The members in this order. Throws call_error(rank) where one occurs twice.
  explicit group(std::vector<world_rank> members);

  int size() const { return size_; }
  bool is_empty() const { return size_ == 0; }
  /// The member with this rank; 0 <= rank < size().
  world_rank operator[](int rank) const { return list_ ? listed(rank) : world_rank(first_ + rank * stride_); }
  /// The member's rank; none for ranks of the job that are no members.
  std::optional<int> rank_of(world_rank member) const;
  bool contains(world_rank member) const { return rank_of(member).has_value(); }
  /// Same members, same order.
  friend bool operator==(const group& a, const group& b);

 private:
  struct member_list;

  world_rank listed(int rank) const;
  bool set_regular(const std::vector<world_rank>& members);

  int first_ = 0;
  int stride_ = 1;
  int size_ = 0;
  std::shared_ptr<const member_list> list_;  // null at regular distances
};

}  // namespace stretto::ranks
