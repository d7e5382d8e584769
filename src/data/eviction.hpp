// eviction.hpp - who leaves a memory that has too little room, looking ahead at what is queued.
//
// Threads     pure.
// Cost        choose_victims: a few ns for each of n residents and O(log n) for each victim; it asks for at most 32 residents more
//             than leave what would have to be written back.
// Invariants  (1) nobody in use leaves. (2) without any one of the victims the room would not suffice. (3) if the room cannot be
//             made there are no victims.
// Source      farthest next use: Belady, "A study of replacement algorithms for a virtual-storage computer", 1966. Of a cyclic
//             sweep over more than fits, least recently used keeps nothing; looking ahead keeps what fits but one.
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

/// Something that takes room in a memory: a replica.
struct eviction_candidate {
  std::uint64_t bytes = 0;
  bool in_use = false;                      // by a task that was issued and has not finished
  std::uint64_t next_use = no_next_use;     // position of the first queued task that will use it
  std::uint64_t last_use = 0;               // rises with each use
  double transfer_seconds = 0;              // to write back and to bring in again
};

struct eviction {
  bool possible = false;
  std::vector<std::size_t> victims;   // indices of residents, first to leave first
  std::uint64_t freed = 0;            // bytes that the victims hold
  std::uint64_t write_back_bytes = 0;
  // For messages:
  std::uint64_t needed = 0, free = 0; // as given
  std::uint64_t in_use = 0;           // bytes of residents that cannot leave now
  std::uint64_t could_free = 0;       // bytes of all others

  /// It would not help to wait until nothing is in use.
  bool is_hopeless() const noexcept { return !possible && needed > free + could_free + in_use; }
};

/// Makes room for `needed` bytes where `free` are free: the farthest next use leaves first, of equals what was used least
/// recently, then what is cheapest to move. Of the last 32 equals those leave first that need not be written back.
///
///   write_back_bytes   of a resident, by its index: what is valid there alone; asked as seldom as can be
///
/// The bytes of all arguments of a task are asked for at once, so that two tasks cannot evict each other's for ever.
eviction choose_victims(std::span<const eviction_candidate> candidates, std::uint64_t needed, std::uint64_t free,
                        const std::function<std::uint64_t(std::size_t)>& write_back_bytes);

}  // namespace stretto::data
