#include "data/locked_pages.hpp"

#include <algorithm>

namespace stretto::data {

namespace {
constexpr std::uint64_t first_piece = 16u << 20;
// So that a power of two fits into a piece together with the gap to the next piece.
constexpr std::uint64_t more = 64u << 10;
}  // namespace

locked_pages::locked_pages(std::vector<device::device*> devices, block_allocator& all, const address_range& range,
                           std::uint64_t most)
    : devices_(std::move(devices)), base_(range.base()) {
  std::vector<block*> parts;
  most = std::min(most, all.capacity()) / block_allocator::grain * block_allocator::grain;
  for (std::uint64_t piece = first_piece + more; most - end_ > block_allocator::grain;
       piece = 2 * (piece - more) + more) {
    // The last piece takes the rest. An unlocked rest would be used first, since it is the smallest free block.
    const std::uint64_t left = most - end_, bytes = left < 2 * piece ? left : piece;
    const bool is_all = end_ + bytes == all.capacity();
    parts.push_back(all.allocate(is_all ? bytes : bytes - block_allocator::grain));
    // allocated for ever: free blocks on both sides are never merged
    if (!parts.back() || (!is_all && !all.allocate(block_allocator::grain))) break;
    pieces_.push_back({end_, bytes});
    end_ += bytes;
  }
  for (block* const b : parts)
    if (b) all.free(*b);
}

locked_pages::~locked_pages() {
  for (const piece& p : pieces_)
    for (device::device* const d : p.locked_by) d->unlock_host(base_ + p.first);
}

void locked_pages::lock(std::uint64_t offset, address_range& range) noexcept {
  piece& p = *std::ranges::find_if(pieces_, [&](const piece& one) { return offset < one.first + one.bytes; });
  if (p.is_tried) return;
  p.is_tried = true;
  if (!range.commit(p.first + p.bytes)) return;
  p.locked_by.reserve(devices_.size());
  for (device::device* const d : devices_)
    if (d->lock_host(base_ + p.first, p.bytes)) p.locked_by.push_back(d);
}

}  // namespace stretto::data
