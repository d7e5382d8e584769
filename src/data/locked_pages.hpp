// locked_pages.hpp - the front of a memory of the host, page-locked piece by piece as it comes into use.
//
// Devices that copy to and from page-locked memory without a detour do so with everything that lies here: the memory is its
// own pool, since what is freed is given out again. Drivers refuse copies of memory that is half of one piece and half of
// another, so no block crosses from one to the next.
//
// Threads     one at a time (the memory's lock).
// Cost        a comparison per block; a piece once, what its driver takes: about 0.2 ms per MiB. Pieces double, 16 MiB at first, and the last takes the rest.
// Invariants  (1) a piece that cannot be locked is memory like any other.
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
  /// Of at most `most` bytes. `all` is empty still, and parted here.
  locked_pages(std::vector<device::device*> who, block_allocator& all, const address_range& range, std::uint64_t most);
  locked_pages(const locked_pages&) = delete;
  ~locked_pages();

  /// A block begins to be used at this offset.
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

  const std::vector<device::device*> who_;
  std::vector<piece> pieces_;
  std::uint64_t end_ = 0;
  std::byte* const base_;
};

}  // namespace stretto::data
