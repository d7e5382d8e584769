#include "data/block_allocator.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>
#include <vector>

using stretto::data::block;
using stretto::data::block_allocator;

namespace {

/// The used blocks by offset; the gaps between them are free.
struct bytes_model {
  std::uint64_t capacity;
  std::map<std::uint64_t, std::uint64_t> used;

  std::uint64_t largest_free() const {
    std::uint64_t largest = 0, at = 0;
    for (const auto& [offset, bytes] : used) {
      largest = std::max(largest, offset - at);
      at = offset + bytes;
    }
    return std::max(largest, capacity - at);
  }
  bool is_free(std::uint64_t offset, std::uint64_t bytes) const {
    if (offset + bytes > capacity) return false;
    for (const auto& [o, b] : used)
      if (o < offset + bytes && offset < o + b) return false;
    return true;
  }
};

}  // namespace

TEST_CASE("blocks never overlap and a request fails only if no free stretch is long enough") {
  const bool ok = rc::check([] {
    const auto capacity = *rc::gen::inRange<std::uint64_t>(0, 200) * 64;
    block_allocator blocks(capacity);
    bytes_model m{capacity, {}};
    std::vector<block*> held;
    const auto steps = *rc::gen::container<std::vector<std::pair<int, std::uint64_t>>>(
        rc::gen::pair(rc::gen::inRange(0, 3), rc::gen::inRange<std::uint64_t>(0, 5000)));
    for (const auto& [what, number] : steps) {
      if (what == 0 && !held.empty()) {
        const std::size_t which = number % held.size();
        m.used.erase(held[which]->offset);
        blocks.free(*held[which]);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
      } else if (what == 2) {
        const std::uint64_t wanted = block_allocator::rounded(number % 700), offset = number / 7 * 64;
        block* b = blocks.allocate_at(offset, number % 700);
        RC_ASSERT((b != nullptr) == m.is_free(offset, wanted));
        if (b) {
          RC_ASSERT(b->offset == offset);
          RC_ASSERT(b->bytes == wanted);
          m.used[b->offset] = b->bytes;
          held.push_back(b);
        }
      } else {
        const std::uint64_t wanted = block_allocator::rounded(number);
        block* b = blocks.allocate(number);
        if (b) {
          RC_ASSERT(b->bytes >= wanted);
          RC_ASSERT(b->offset % block_allocator::grain == 0u);
          RC_ASSERT(m.is_free(b->offset, b->bytes));
          m.used[b->offset] = b->bytes;
          held.push_back(b);
        } else {
          RC_ASSERT(m.largest_free() < wanted);
        }
      }
      std::uint64_t used = 0;
      for (const auto& [o, n] : m.used) used += n;
      RC_ASSERT(blocks.used() == used);
      RC_ASSERT(blocks.free_bytes() == capacity - used);
    }
    RC_ASSERT(blocks.largest_free() == m.largest_free());
  });
  CHECK(ok);
}

TEST_CASE("the highest free addresses are given where the end is asked for") {
  block_allocator blocks(1024);
  block* const first = blocks.allocate(64);
  block* const last = blocks.allocate_last(100);
  REQUIRE(last);
  CHECK(last->offset == 1024 - 128);
  block* const before = blocks.allocate_last(64);
  REQUIRE(before);
  CHECK(before->offset == 1024 - 192);
  blocks.free(*last);
  CHECK(blocks.allocate_last(64)->offset == 1024 - 64);
  CHECK(blocks.allocate_last(128)->offset == 1024 - 320);  // the free block behind it is too short
  CHECK(blocks.allocate_last(961) == nullptr);
  CHECK(first->offset == 0);
}

TEST_CASE("free parts of a range are allocated as blocks that end where the range does") {
  block_allocator blocks(1024);
  block* const first = blocks.allocate(128);
  block* const second = blocks.allocate(128);
  block* const third = blocks.allocate(128);
  REQUIRE(third->offset == 256);
  blocks.free(*second);
  std::vector<block*> given;
  blocks.allocate_free(64, 448, given);  // [64, 512): nothing of the first and the third
  REQUIRE(given.size() == 2);
  CHECK(given[0]->offset == 128);
  CHECK(given[0]->bytes == 128);
  CHECK(given[1]->offset == 384);
  CHECK(given[1]->bytes == 128);
  CHECK(blocks.free_bytes() == 512);
  CHECK(blocks.is_free_before(0, 512, 512));
  CHECK_FALSE(blocks.is_free_before(7, 320, 256));
  third->destruction_ticket = 6, given[1]->destruction_ticket = 5;
  CHECK(blocks.is_free_before(7, 320, 256));
  CHECK_FALSE(blocks.is_free_before(6, 320, 256));
  for (block* const b : given) blocks.free(*b);
  CHECK(blocks.allocate(640) != nullptr);
  CHECK(first->offset == 0);
}

TEST_CASE("freed blocks of every size grow together again into one") {
  block_allocator blocks(1 << 20);
  std::vector<block*> held;
  for (std::uint64_t i = 0; i < 300; ++i) held.push_back(blocks.allocate(64 + 37 * i % 2900));
  for (std::size_t i = 0; i < held.size(); i += 2) blocks.free(*held[i]);
  CHECK(blocks.largest_free() < blocks.free_bytes());
  for (std::size_t i = 1; i < held.size(); i += 2) blocks.free(*held[i]);
  CHECK(blocks.used() == 0);
  CHECK(blocks.largest_free() == 1 << 20);
  CHECK(blocks.allocate(1 << 20) != nullptr);
}

TEST_CASE("more than the capacity is refused, also where rounding up would wrap around") {
  block_allocator blocks(1000);
  CHECK(blocks.capacity() == 960);
  CHECK(blocks.allocate(961) == nullptr);
  CHECK(blocks.allocate(~std::uint64_t{0}) == nullptr);
  CHECK(blocks.allocate(960) != nullptr);
  CHECK(blocks.allocate(0) == nullptr);
}
