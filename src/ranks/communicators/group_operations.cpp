// group_operations.cpp - each operation lists the members of the new group.
#include "ranks/communicators/group_operations.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

namespace {

enum class kept { members, others };

/// Appends the members of `all` that are members of `other`, or that are not.
void append(std::vector<world_rank>& members, const group& all, const group& other, kept which) {
  for (int rank = 0; rank < all.size(); ++rank) {
    if (other.contains(all[rank]) == (which == kept::members)) members.push_back(all[rank]);
  }
}

void check_rank(const group& all, std::int64_t rank) {
  if (rank >= 0 && rank < all.size()) return;
  throw call_error(error_class::rank,
                   "rank " + std::to_string(rank) + " is not in a group of " + std::to_string(all.size()));
}

/// Throws where a rank does not exist or occurs twice.
std::vector<bool> marked(const group& all, std::span<const int> ranks) {
  std::vector<bool> is_listed(static_cast<std::size_t>(all.size()));
  for (const int rank : ranks) {
    check_rank(all, rank);
    if (is_listed[rank]) throw call_error(error_class::rank, "rank " + std::to_string(rank) + " is listed twice");
    is_listed[rank] = true;
  }
  return is_listed;
}

std::string text_of(const group_range& range) {
  return "the range " + std::to_string(range.first) + ", " + std::to_string(range.last) + ", " +
         std::to_string(range.stride);
}

std::vector<int> ranks_of(const group& all, std::span<const group_range> ranges) {
  std::vector<int> ranks;
  for (const group_range& range : ranges) {
    if (range.stride == 0) throw call_error(error_class::argument, text_of(range) + " has the stride 0");
    const std::int64_t distance = std::int64_t{range.last} - range.first;
    if (distance != 0 && (distance > 0) != (range.stride > 0)) {
      throw call_error(error_class::argument, text_of(range) + " has a stride of the wrong sign");
    }
    const std::int64_t steps = distance / range.stride;
    check_rank(all, range.first);
    check_rank(all, range.first + steps * range.stride);
    for (std::int64_t i = 0; i <= steps; ++i) ranks.push_back(static_cast<int>(range.first + i * range.stride));
  }
  return ranks;
}

}  // namespace

comparison compare(const group& a, const group& b) {
  if (a == b) return comparison::identical;
  if (a.size() != b.size()) return comparison::unequal;
  for (int rank = 0; rank < a.size(); ++rank) {
    if (!b.contains(a[rank])) return comparison::unequal;
  }
  return comparison::similar;
}

group union_of(const group& a, const group& b) {
  std::vector<world_rank> members;
  append(members, a, a, kept::members);
  append(members, b, a, kept::others);
  return group(std::move(members));
}

group intersection_of(const group& a, const group& b) {
  std::vector<world_rank> members;
  append(members, a, b, kept::members);
  return group(std::move(members));
}

group difference_of(const group& a, const group& b) {
  std::vector<world_rank> members;
  append(members, a, b, kept::others);
  return group(std::move(members));
}

group included(const group& all, std::span<const int> ranks) {
  marked(all, ranks);
  std::vector<world_rank> members;
  members.reserve(ranks.size());
  for (const int rank : ranks) members.push_back(all[rank]);
  return group(std::move(members));
}

group excluded(const group& all, std::span<const int> ranks) {
  const std::vector<bool> is_excluded = marked(all, ranks);
  std::vector<world_rank> members;
  for (int rank = 0; rank < all.size(); ++rank) {
    if (!is_excluded[rank]) members.push_back(all[rank]);
  }
  return group(std::move(members));
}

group ranges_included(const group& all, std::span<const group_range> ranges) {
  return included(all, ranks_of(all, ranges));
}

group ranges_excluded(const group& all, std::span<const group_range> ranges) {
  return excluded(all, ranks_of(all, ranges));
}

void translate_ranks(const group& from, std::span<const int> ranks, const group& to, std::span<int> translated) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == null_process) {
      translated[i] = null_process;
      continue;
    }
    check_rank(from, ranks[i]);
    translated[i] = to.rank_of(from[ranks[i]]).value_or(no_rank);
  }
}

}  // namespace stretto::ranks
