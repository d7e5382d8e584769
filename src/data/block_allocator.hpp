// block_allocator.hpp - allocates parts of a memory as offsets and lengths, without access to the memory itself.
//
// Descriptors lie outside the memory, so one allocator serves host memory, device memory and files alike.
//
// Threads     one at a time (under the lock of the memory that owns it).
// Cost        allocate and free: constant. A freed block of at most 4 KiB is parked: it is not merged with free
//             neighbours, and allocated again in a few instructions. largest_free: constant, plus merging the parked
//             blocks.
// Invariants  (1) the blocks are a partition of [0, capacity). (2) no two neighbours are free, except parked ones. (3)
//             a request of at most largest_free() bytes succeeds.
// Source      two-level segregated fit: Masmano, Ripoll, Crespo, Real, ECRTS 2004. Here descriptors are separate, small
//             blocks are parked, and the request's own class is searched before giving up.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace stretto::data {

/// A block of the space. The owner may read offset and bytes, and nothing else.
struct block {
  std::uint64_t offset;
  std::uint64_t bytes;
  block* before;  // neighbours by address
  block* behind;
  block* next;  // in its free or parked list
  block* previous;
  enum class state : std::uint8_t { used, free, parked } is;
  std::uint64_t destruction_ticket = 0;  // of the announced destruction that will free it; 0: none
};

class block_allocator {
 public:
  static constexpr std::uint64_t grain = 64;

  /// A space of `capacity` bytes, rounded down to the grain, all free. `own_grain` is a multiple of `grain`.
  explicit block_allocator(std::uint64_t capacity, std::uint64_t own_grain = grain);
  block_allocator(const block_allocator&) = delete;

  /// Returns a block of at least `bytes` (0 counts as 1) at a multiple of its own grain, from the front or the back of
  /// a free block. Null if none is large enough. Throws std::bad_alloc if there is no memory for a descriptor.
  enum class side : std::uint8_t { front, back };
  block* allocate(std::uint64_t bytes, side from = side::front);
  /// A block that begins at `offset`, a multiple of its own grain; null unless all of it is free. Cost: a walk over the
  /// blocks before it.
  block* allocate_at(std::uint64_t offset, std::uint64_t bytes);
  /// Allocates all free parts of [offset, offset + bytes). Cost: a walk over the blocks before its end.
  void allocate_free(std::uint64_t offset, std::uint64_t bytes, std::vector<block*>& out);
  /// A block at the highest free addresses; null if none is large enough. Cost: a walk over all blocks.
  block* allocate_last(std::uint64_t bytes);
  void free(block& b) noexcept;

  std::uint64_t capacity() const noexcept { return capacity_; }
  std::uint64_t used() const noexcept { return used_; }
  std::uint64_t free_bytes() const noexcept { return capacity_ - used_; }
  /// Merges parked blocks and returns the longest free block in bytes.
  std::uint64_t largest_free() noexcept;

  /// The longest run of blocks that are free or will be freed by a destruction with a ticket below this one. Cost: a
  /// walk over all blocks.
  std::uint64_t longest_free_run(std::uint64_t ticket) const noexcept;

  /// Whether all of [offset, offset + bytes) is free, or will be freed by destructions with tickets below this one; 0:
  /// whether it is free. Cost: a walk over the blocks before its end.
  bool is_free_before(std::uint64_t ticket, std::uint64_t offset, std::uint64_t bytes) const noexcept;

  /// Merges parked blocks.
  void merge_parked() noexcept;

  /// The size of a block for so many bytes.
  static constexpr std::uint64_t rounded(std::uint64_t bytes, std::uint64_t to = grain) noexcept {
    return bytes == 0 ? to : (bytes + to - 1) / to * to;
  }
  std::uint64_t taken_by(std::uint64_t bytes) const noexcept { return rounded(bytes, own_grain_); }

 private:
  static constexpr unsigned steps = 16;  // classes between two powers of two
  static constexpr unsigned levels = 60;
  static constexpr std::uint64_t max_parked_bytes = 4096;  // bytes
  static constexpr unsigned max_parked_blocks = 1024;      // blocks

  struct size_class {
    unsigned level, step;
  };
  static size_class class_of(std::uint64_t bytes) noexcept;

  block* new_descriptor();
  block* find(std::uint64_t bytes) noexcept;
  block* cut(block& b, std::uint64_t first);
  void insert_free(block& b) noexcept;
  void remove_free(block& b) noexcept;
  void merge_and_insert(block& b) noexcept;

  const std::uint64_t own_grain_;
  std::uint64_t capacity_;
  std::uint64_t used_ = 0;
  std::uint64_t levels_in_use_ = 0;
  std::array<std::uint32_t, levels> steps_in_use_{};
  std::array<std::array<block*, steps>, levels> free_{};
  std::array<block*, max_parked_bytes / grain> parked_{};
  unsigned parked_count_ = 0;
  block* lowest_ = nullptr;  // the block at offset 0
  block* spare_ = nullptr;
  std::vector<std::unique_ptr<block[]>> chunks_;
};

}  // namespace stretto::data
