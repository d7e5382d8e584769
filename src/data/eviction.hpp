// eviction.hpp - chooses which replicas leave a full memory, by the uses that are queued.
//
// Threads     pure.
// Cost        choose_victims: a few ns for each of n candidates and O(log n) for each victim. write_back_bytes is
//             called for at most 32 candidates more than the victims.
// Invariants  (1) no victim is in use. (2) without any one of the victims the memory would not suffice. (3) if not
//             enough can be freed there are no victims.
// Source      farthest next use: Belady, "A study of replacement algorithms for a virtual-storage computer", 1966. In a
//             cyclic sweep over more data than fits, least recently used keeps nothing; looking ahead keeps all but one
//             of what fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace stretto::data {

/// A position in the order of queued tasks, or none among them.
inline constexpr std::uint64_t no_next_use = std::numeric_limits<std::uint64_t>::max();

/// A replica in the memory.
struct eviction_candidate {
  std::uint64_t bytes = 0;
  bool in_use = false;                   // by a task that was issued and has not finished
  std::uint64_t next_use = no_next_use;  // position of the first queued task that will use it
  std::uint64_t last_use = 0;            // rises with each use
  double transfer_seconds = 0;           // to write it back and to copy it here again
};

struct eviction {
  bool possible = false;
  std::vector<std::size_t> victims;  // indices of candidates, in the order in which they leave
  std::uint64_t freed = 0;           // bytes of the victims
  std::uint64_t write_back_bytes = 0;
  // For messages:
  std::uint64_t needed = 0, free = 0;  // as given
  std::uint64_t in_use = 0;            // bytes of candidates that cannot leave now
  std::uint64_t could_free = 0;        // bytes of all others

  /// Whether waiting until nothing is in use would not help either.
  bool is_hopeless() const noexcept { return !possible && needed > free + could_free + in_use; }
};

/// Chooses victims so that `needed` bytes fit where `free` are free. The candidate with the farthest next use leaves
/// first; among equals, the least recently used, then the cheapest to move. Among the last 32 equals, those that need
/// no write-back leave first.
///
///   write_back_bytes   bytes valid in that candidate alone, by its index; called as rarely as possible
///
/// All arguments of a task are requested at once, so that two tasks cannot evict each other's for ever.
eviction choose_victims(std::span<const eviction_candidate> candidates, std::uint64_t needed, std::uint64_t free,
                        const std::function<std::uint64_t(std::size_t)>& write_back_bytes);

}  // namespace stretto::data
