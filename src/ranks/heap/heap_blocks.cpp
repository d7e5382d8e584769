#include "ranks/heap/heap_blocks.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

namespace stretto::ranks {

std::atomic<std::uint32_t>& heap_blocks::number_near(const std::byte* at) const {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  return numbers_[(address >> 4 ^ address >> 16) % numbers_.size()];
}

void heap_blocks::add(std::byte* start, std::size_t bytes) {
  const std::scoped_lock lock(lock_);
  forget(start, bytes);
  blocks_[start] = {bytes, 0};
  add_hold(start, start, bytes);
}

void heap_blocks::add_hold(std::byte* block, const std::byte* at, std::size_t bytes) {
  ++blocks_.find(block)->second.holds;
  holds_at& here = holds_[at];
  if (here.count++ == 0) number_near(at).fetch_add(1, std::memory_order_relaxed);
  here = {block, std::max(here.bytes, bytes), here.count};
}

/// Blocks that the program gave back by a function that is not replaced: their memory is in use again.
void heap_blocks::forget(const std::byte* start, std::size_t bytes) {
  auto one = blocks_.upper_bound(start);
  if (one != blocks_.begin() && std::prev(one)->first + std::prev(one)->second.bytes > start) --one;
  while (one != blocks_.end() && one->first < start + bytes) {
    const std::byte* const end = one->first + one->second.bytes;
    for (auto held = holds_.lower_bound(one->first); held != holds_.end() && held->first < end;) {
      number_near(held->first).fetch_sub(1, std::memory_order_relaxed);
      held = holds_.erase(held);
    }
    one = blocks_.erase(one);
  }
}

std::optional<heap_blocks::hold> heap_blocks::find(const std::byte* at) const {
  if (number_near(at).load(std::memory_order_relaxed) == 0) return std::nullopt;
  const std::scoped_lock lock(lock_);
  const auto found = holds_.find(at);
  if (found == holds_.end()) return std::nullopt;
  const holds_at& here = found->second;
  return hold{here.block, here.bytes, blocks_.find(here.block)->second.holds};
}

heap_blocks::ended_hold heap_blocks::release(const std::byte* at) {
  if (number_near(at).load(std::memory_order_relaxed) == 0) return {false, nullptr};
  const std::scoped_lock lock(lock_);
  return end_hold(at);
}

heap_blocks::ended_hold heap_blocks::end_hold(const std::byte* at) {
  const auto found = holds_.find(at);
  if (found == holds_.end()) return {false, nullptr};
  std::byte* const start = found->second.block;
  if (--found->second.count == 0) {
    holds_.erase(found);
    number_near(at).fetch_sub(1, std::memory_order_relaxed);
  }
  const auto of = blocks_.find(start);
  if (--of->second.holds > 0) return {true, nullptr};
  blocks_.erase(of);
  return {true, start};
}

heap_blocks::block_map::iterator heap_blocks::block_around(const std::byte* first, std::size_t bytes) {
  const auto next = blocks_.upper_bound(first);
  if (next == blocks_.begin()) return blocks_.end();
  const auto before = std::prev(next);
  return first + bytes <= before->first + before->second.bytes ? before : blocks_.end();
}

sharing heap_blocks::share(const std::byte* sent, std::size_t bytes, const std::byte* buffer, ended_hold& left) {
  const std::scoped_lock lock(lock_);
  const auto of = block_around(sent, bytes);
  if (of == blocks_.end()) return sharing::sent_from_elsewhere;
  const auto held = holds_.find(buffer);
  if (held == holds_.end()) return sharing::received_elsewhere;
  if (held->second.bytes > bytes) return sharing::received_block_is_larger;
  add_hold(const_cast<std::byte*>(of->first), sent, bytes);
  left = end_hold(buffer);
  return sharing::shared;
}

// Never destroyed: programs free memory until the process ends.
heap_blocks& blocks_of_process() noexcept {
  static auto* const all = new heap_blocks;
  return *all;
}

}  // namespace stretto::ranks
