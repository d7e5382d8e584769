// heap_blocks.hpp - large blocks of the heap that ranks of a node may share: which there are, and who holds them.
//
// A hold is an address in a block that one rank uses, and frees later. The block ends with its last hold.
//
// Threads     any.
// Cost        freeing an address without a hold: one load. Else a lock and a search among large blocks.
// Invariants  (1) blocks do not overlap. (2) each hold lies within a block, which has at least one.
// Source      J. Kim, S. Lee, J. S. Vetter, "IMPACC", HPDC 2016, section 3.8: heap aliasing with reference counts.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "base/spin_lock.hpp"

namespace stretto::ranks {

/// Why a receive buffer cannot share the block of the sender's data; `shared`: it does.
enum class sharing : std::uint8_t {
  shared,
  sent_from_elsewhere,      // the data is not within one large block of the heap
  received_elsewhere,       // the receive buffer does not begin where a large block does
  received_block_is_larger  // than the message: it has other data, too
};

class heap_blocks {
 public:
  /// Smaller blocks are not entered: a copy takes about as long as the entry.
  static constexpr std::size_t least_bytes = 64 << 10;

  /// Enters a block, with a hold at its start. Blocks that it overlaps have ended without a call of release().
  void add(std::byte* start, std::size_t bytes);

  struct hold {
    std::byte* block;
    std::size_t bytes;        // the most that a hold at this address has: several may have unlike sizes
    std::size_t block_holds;  // all of the block
  };
  std::optional<hold> find(const std::byte* at) const;

  /// The end of a hold, and the memory that it leaves.
  struct ended_hold {
    bool was_held;
    std::byte* unused;  // the block, for the caller to free; null: it has other holds
  };
  ended_hold release(const std::byte* at);

  /// Gives the receiver a hold of the sent bytes in place of the one at its buffer.
  ///   left   of the former hold, if they are shared
  sharing share(const std::byte* sent, std::size_t bytes, const std::byte* buffer, ended_hold& left);

 private:
  struct block {
    std::size_t bytes;
    std::size_t holds;
  };
  struct holds_at {
    std::byte* block;
    std::size_t bytes;
    std::size_t count;
  };
  using block_map = std::map<const std::byte*, block>;

  std::atomic<std::uint32_t>& number_near(const std::byte* at) const;
  block_map::iterator block_around(const std::byte* first, std::size_t bytes);
  void add_hold(std::byte* block, const std::byte* at, std::size_t bytes);
  ended_hold end_hold(const std::byte* at);
  void forget(const std::byte* start, std::size_t bytes);

  mutable base::spin_lock lock_;
  block_map blocks_;
  std::map<const std::byte*, holds_at> holds_;
  mutable std::array<std::atomic<std::uint32_t>, 4096> numbers_{};  // of addresses with holds, by a hash of them
};

/// Those of this process.
heap_blocks& blocks_of_process() noexcept;

}  // namespace stretto::ranks
