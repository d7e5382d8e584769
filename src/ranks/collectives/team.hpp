// team.hpp - the ranks that take part in an algorithm, numbered from 0: a group, those of one node, or the nodes'
// leaders.
//
// Threads     a value; a list of ranks must live as long as it.
#pragma once

#include <bit>
#include <limits>

#include "ranks/collectives/collectives.hpp"

namespace stretto::ranks {

struct team {
  int index = 0;  // of this rank
  int size = 1;
  const int* ranks = nullptr;  // by index; null: the index itself
  int concurrency = std::numeric_limits<int>::max();

  peer_rank member(int i) const { return {ranks ? ranks[i] : i}; }
  /// This rank's index if that of `first` were 0, and the member with such an index.
  int index_from(int first) const { return (index - first + size) % size; }
  peer_rank member_from(int first, int i) const { return member((first + i) % size); }
  /// All messages are handled by fewer workers than ranks, so that their number counts more than that of rounds.
  bool prefers_few_messages() const { return size > 4 && concurrency < size / 2; }
};

/// All ranks of a group.
inline team team_of(const collective_group& group) {
  team all{group.rank, group.size};
  if (group.nodes.empty()) all.concurrency = group.concurrency;
  return all;
}

/// The members of a team as a power of two: of the first 2 * `rest`, those with odd index give their data to the one
/// before them.
struct folded_team {
  int size;   // the largest power of two that is not above the team's
  int rest;   // members beyond it
  int index;  // of this rank; -1 if it is folded out

  folded_team(int index_of_rank, int members)
      : size(static_cast<int>(std::bit_floor(static_cast<unsigned>(members)))), rest(members - size) {
    if (index_of_rank >= 2 * rest) index = index_of_rank - rest;
    else index = index_of_rank % 2 == 0 ? index_of_rank / 2 : -1;
  }
  /// The team's index of a folded one.
  int unfolded(int i) const { return i < rest ? 2 * i : i + rest; }
};

}  // namespace stretto::ranks
