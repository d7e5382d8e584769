// group.cpp - members at regular distances, or in a list with an index.
#include "ranks/communicators/group.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

struct group::member_list {
  std::vector<world_rank> by_rank;
  std::vector<std::pair<world_rank, int>> by_member;  // with its rank, ascending
};

group::group(world_rank first, int size, int stride)
    : first_(static_cast<int>(first)), stride_(size > 1 ? stride : 1), size_(size) {
  if (size == 0) first_ = 0;
}

group::group(std::vector<world_rank> members) {
  if (set_regular(members)) return;
  auto list = std::make_shared<member_list>();
  for (int rank = 0; rank < size_; ++rank) list->by_member.emplace_back(members[rank], rank);
  std::ranges::sort(list->by_member);
  const auto same = std::ranges::adjacent_find(list->by_member, {}, [](const auto& entry) { return entry.first; });
  if (same != list->by_member.end()) {
    throw call_error(error_class::rank, "rank " + std::to_string(static_cast<int>(same->first)) +
                                            " of MPI_COMM_WORLD occurs twice in a group");
  }
  list->by_rank = std::move(members);
  list_ = std::move(list);
}

/// Whether the members are at regular distances; the fields are those of such a group.
bool group::set_regular(const std::vector<world_rank>& members) {
  size_ = static_cast<int>(members.size());
  if (size_ == 0) return true;
  first_ = static_cast<int>(members[0]);
  if (size_ == 1) return true;
  stride_ = static_cast<int>(members[1]) - first_;
  for (int rank = 1; rank < size_; ++rank) {
    if (static_cast<int>(members[rank]) - static_cast<int>(members[rank - 1]) != stride_) return false;
  }
  return stride_ != 0;
}

world_rank group::listed(int rank) const { return list_->by_rank[static_cast<std::size_t>(rank)]; }

std::optional<int> group::rank_of(world_rank member) const {
  if (list_) {
    const auto found = std::ranges::lower_bound(list_->by_member, std::pair(member, 0));
    if (found == list_->by_member.end() || found->first != member) return std::nullopt;
    return found->second;
  }
  const int distance = static_cast<int>(member) - first_;
  if (distance % stride_ != 0) return std::nullopt;
  const int rank = distance / stride_;
  if (rank < 0 || rank >= size_) return std::nullopt;
  return rank;
}

bool operator==(const group& a, const group& b) {
  if (a.size_ != b.size_ || !a.list_ != !b.list_) return false;
  if (!a.list_) return a.first_ == b.first_ && a.stride_ == b.stride_;
  return a.list_ == b.list_ || a.list_->by_rank == b.list_->by_rank;
}

}  // namespace stretto::ranks
