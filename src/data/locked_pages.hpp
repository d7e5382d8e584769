// locked_pages.hpp - page-locks the front of a host memory piece by piece as it comes into use.
//
// Devices copy directly to and from page-locked memory, so all instances here benefit: the memory acts as a pool, since
// freed blocks are reused. Drivers refuse a copy that spans two locked pieces, so no block crosses a border between
// pieces.
//
// Threads     one at a time (under the memory's lock).
// Cost        one comparison per block. Locking a piece takes about 0.2 ms per MiB, once. Pieces double from 16 MiB;
//             the last takes the rest.
// Invariants  (1) a piece that cannot be locked remains usable as ordinary memory.
// Source      the page-locked host pool of PREMA's heterogeneous tasking.
#pragma once

#include <cstdint>
#include <vector>

#include "data/address_range.hpp"
#include "data/block_allocator.hpp"
#include "device/device.hpp"

namespace stretto::data {

class locked_pages {
 public:
  /// Locks at most `most` bytes. `all` must be empty; it is divided at the borders of pieces here.
  locked_pages(std::vector<device::device*> devices, block_allocator& all, const address_range& range,
               std::uint64_t most);
  locked_pages(const locked_pages&) = delete;
  ~locked_pages();

  /// To be called when a block at this offset begins to be used.
  void reach(std::uint64_t offset, address_range& range) noexcept {
    if (offset < end_) lock(offset, range);
  }

 private:
  struct piece {
    std::uint64_t first, bytes;
    bool is_tried = false;
    std::vector<device::device*> locked_by = {};
  };
  void lock(std::uint64_t offset, address_range& range) noexcept;

  const std::vector<device::device*> devices_;
  std::vector<piece> pieces_;
  std::uint64_t end_ = 0;
  std::byte* const base_;
};

}  // namespace stretto::data
