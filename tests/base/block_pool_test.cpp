#include "base/block_pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

using stretto::base::block_cache;
using stretto::base::block_pool;

TEST_CASE("blocks are aligned, zero when new, and apart") {
  for (const std::size_t bytes : {64u, 128u, 1024u, 2048u, 32768u, 2u << 20}) {
    CAPTURE(bytes);
    block_pool pool(bytes);
    block_cache cache(pool);
    std::set<std::byte*> seen;
    for (int i = 0; i < 150; ++i) {
      auto* block = static_cast<std::byte*>(cache.allocate());
      CHECK(reinterpret_cast<std::uintptr_t>(block) % 64 == 0);
      // The owner of a new block overwrites what a free list left in its first bytes; the rest is zero.
      CHECK(std::all_of(block + 32, block + bytes, [](std::byte b) { return b == std::byte{0}; }));
      std::memset(block, 0xff, bytes);
      const auto next = seen.insert(block).first;
      if (next != seen.begin()) CHECK(block - *std::prev(next) >= static_cast<std::ptrdiff_t>(bytes));
      if (std::next(next) != seen.end()) CHECK(*std::next(next) - block >= static_cast<std::ptrdiff_t>(bytes));
      if (seen.size() * bytes > (8u << 20)) break;
    }
    for (auto* block : seen) cache.free(block);
  }
}

TEST_CASE("a block that one thread frees is reused by another, for every block size") {
  for (const std::size_t bytes : {64u, 2048u, 32768u, 2u << 20}) {
    CAPTURE(bytes);
    block_pool pool(bytes);
    block_cache from(pool), to(pool);
    std::vector<void*> held;
    std::size_t peak = 0;
    for (int round = 0; round < 1000; ++round) {
      held.push_back(from.allocate());
      if (held.size() < 4) continue;
      to.free(held.front());
      held.erase(held.begin());
      if (round == 500) peak = pool.footprint();
    }
    CHECK(pool.footprint() == peak);
    for (void* block : held) to.free(block);
  }
}

TEST_CASE("a thread that needs one large block does not take megabytes") {
  for (const std::size_t bytes : {64u, 128u, 2048u, 32768u}) {
    CAPTURE(bytes);
    block_pool pool(bytes);
    block_cache cache(pool);
    cache.free(cache.allocate());
    CHECK(pool.footprint() <= (64u << 10));
  }
}

TEST_CASE("a pool that recycles nothing gives each block back to the system") {
  block_pool pool(256, false);
  {
    block_cache one(pool), other(pool);
    for (int i = 0; i < 100; ++i) {
      auto* const block = static_cast<std::byte*>(one.allocate());
      CHECK(reinterpret_cast<std::uintptr_t>(block) % 64 == 0);
      CHECK(std::all_of(block + 32, block + 256, [](std::byte b) { return b == std::byte{0}; }));
      CHECK(pool.footprint() == 256);
      std::memset(block, 0xff, 256);
      (i % 2 ? one : other).free(block);
      CHECK(pool.footprint() == 0);
    }
    CHECK(one.try_allocate() == nullptr);
  }
  CHECK(pool.footprint() == 0);
}
