#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "campaign.hpp"
#include "data/eviction.hpp"

using namespace stretto::data;

namespace {

using victims = std::vector<std::size_t>;

std::uint64_t all_clean(std::size_t) { return 0; }

/// Positions of queued uses, by block.
class queued_uses {
 public:
  void add(std::uint64_t block, std::uint64_t position) { uses_[block].insert(position); }
  void remove(std::uint64_t block, std::uint64_t position) { uses_[block].erase(position); }
  std::uint64_t next(std::uint64_t block) const {
    const auto found = uses_.find(block);
    return found == uses_.end() || found->second.empty() ? no_next_use : *found->second.begin();
  }

 private:
  std::map<std::uint64_t, std::set<std::uint64_t>> uses_;
};

// Blocks of one byte in a memory of `capacity` bytes, used in the given order; returns how often a block is loaded.
// `window`: the number of known future uses.
std::size_t loads(const std::vector<std::uint64_t>& uses, std::size_t capacity, std::size_t window) {
  queued_uses ahead;
  std::map<std::uint64_t, std::uint64_t> resident_since;  // block, last use
  std::size_t known = 0, count = 0;
  for (std::size_t now = 0; now < uses.size(); ++now) {
    for (known = std::max(known, now); known < uses.size() && known < now + window; ++known)
      ahead.add(uses[known], known);
    if (window) ahead.remove(uses[now], now);
    if (!resident_since.contains(uses[now])) {
      ++count;
      std::vector<eviction_candidate> all;
      std::vector<std::uint64_t> blocks;
      for (const auto& [block, last] : resident_since) {
        all.push_back({.bytes = 1, .next_use = ahead.next(block), .last_use = last});
        blocks.push_back(block);
      }
      const eviction e = choose_victims(all, 1, capacity - all.size(), all_clean);
      REQUIRE(e.possible);
      for (const std::size_t v : e.victims) resident_since.erase(blocks[v]);
    }
    resident_since[uses[now]] = now + 1;
  }
  return count;
}

// The minimum number of loads, over all possible evictions at each step.
std::size_t fewest_loads(const std::vector<std::uint64_t>& uses, std::size_t capacity) {
  std::map<std::set<std::uint64_t>, std::size_t> reached{{{}, 0}};
  for (const std::uint64_t block : uses) {
    std::map<std::set<std::uint64_t>, std::size_t> next;
    const auto put = [&](const std::set<std::uint64_t>& s, std::size_t n) {
      const auto [at, is_new] = next.try_emplace(s, n);
      if (!is_new) at->second = std::min(at->second, n);
    };
    for (const auto& [state, n] : reached) {
      if (state.contains(block)) {
        put(state, n);
        continue;
      }
      if (state.size() < capacity) {
        auto with = state;
        with.insert(block);
        put(with, n + 1);
        continue;
      }
      for (const std::uint64_t gone : state) {
        auto with = state;
        with.erase(gone);
        with.insert(block);
        put(with, n + 1);
      }
    }
    reached = std::move(next);
  }
  std::size_t fewest = SIZE_MAX;
  for (const auto& [state, n] : reached) fewest = std::min(fewest, n);
  return fewest;
}

std::vector<std::uint64_t> sweeps(std::uint64_t blocks, int times) {
  std::vector<std::uint64_t> uses;
  for (int i = 0; i < times; ++i)
    for (std::uint64_t b = 0; b < blocks; ++b) uses.push_back(b);
  return uses;
}

constexpr std::size_t everything = SIZE_MAX / 2;

}  // namespace

TEST_CASE("the farthest next use leaves first, and what is not queued before all others") {
  const std::vector<eviction_candidate> all{
      {.bytes = 10, .next_use = 5}, {.bytes = 10, .next_use = 9}, {.bytes = 10, .last_use = 99}};
  CHECK(choose_victims(all, 10, 0, all_clean).victims == victims{2});
  CHECK(choose_victims(all, 20, 0, all_clean).victims == victims{2, 1});
  CHECK(choose_victims(all, 25, 5, all_clean).victims == victims{2, 1});
}

TEST_CASE("of equals, what was used least recently leaves first, but before it what need not be written back") {
  const std::vector<eviction_candidate> all{{.bytes = 8, .last_use = 1},
                                            {.bytes = 8, .last_use = 7},
                                            {.bytes = 8, .last_use = 5},
                                            {.bytes = 8, .last_use = 5, .transfer_seconds = -1}};
  CHECK(choose_victims(all, 24, 0, all_clean).victims == victims{0, 3, 2});
  const auto first_is_dirty = [](std::size_t i) { return i == 0 ? std::uint64_t{6} : 0; };
  CHECK(choose_victims(all, 24, 0, first_is_dirty).victims == victims{3, 2, 1});
  CHECK(choose_victims(all, 24, 0, first_is_dirty).write_back_bytes == 0);
  CHECK(choose_victims(all, 32, 0, first_is_dirty).write_back_bytes == 6);
}

TEST_CASE("write-back bytes are asked of few candidates") {
  std::vector<eviction_candidate> all(1000, eviction_candidate{.bytes = 8});
  for (std::size_t i = 0; i < all.size(); ++i) all[i].last_use = i;
  std::size_t asked = 0;
  const eviction e = choose_victims(all, 80, 0, [&](std::size_t) { return ++asked, std::uint64_t{1}; });
  CHECK(e.victims == victims{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(asked <= 42);
}

TEST_CASE("nothing is evicted if memory is free") {
  const std::vector<eviction_candidate> all{{.bytes = 10}};
  const eviction e = choose_victims(all, 10, 10, all_clean);
  CHECK(e.possible);
  CHECK(e.victims.empty());
}

TEST_CASE("an impossible eviction gives bytes, and whether waiting would help") {
  const std::vector<eviction_candidate> all{{.bytes = 30, .in_use = true}, {.bytes = 20}};
  const eviction now = choose_victims(all, 60, 10, all_clean);
  CHECK_FALSE(now.possible);
  CHECK(now.victims.empty());
  CHECK(now.in_use == 30);
  CHECK(now.could_free == 20);
  CHECK_FALSE(now.is_hopeless());
  CHECK(choose_victims(all, 61, 10, all_clean).is_hopeless());
}

TEST_CASE("no victim is needless or in use, and the freed memory suffices, over many seeds") {
  for (unsigned seed = 0; seed < stretto::test::scaled_of_one_thread(2'000u, 100'000u); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<std::uint64_t>(random() % n); };
    std::vector<eviction_candidate> all(below(12));
    for (eviction_candidate& r : all) r = {below(20), below(3) == 0, below(2) ? below(9) : no_next_use, below(9), 0};
    const std::uint64_t dirty = below(4096);
    const std::uint64_t needed = below(100), free = below(60);
    const eviction e = choose_victims(all, needed, free, [&](std::size_t i) { return dirty >> i & 1; });
    std::uint64_t movable = 0, freed = 0;
    for (const eviction_candidate& r : all) movable += r.in_use ? 0 : r.bytes;
    REQUIRE(e.possible == (needed <= free + movable));
    for (const std::size_t v : e.victims) {
      REQUIRE_FALSE(all[v].in_use);
      freed += all[v].bytes;
    }
    REQUIRE(e.freed == freed);
    if (!e.possible) REQUIRE(e.victims.empty());
    else REQUIRE(free + freed >= needed);
    for (const std::size_t v : e.victims) REQUIRE(free + freed - all[v].bytes < needed);
  }
}

TEST_CASE("with all uses known there are as few loads as can be, over many seeds") {
  for (unsigned seed = 0; seed < stretto::test::scaled_of_one_thread(300u, 5'000u); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const std::size_t capacity = 1 + random() % 4, blocks = capacity + 1 + random() % 3;
    std::vector<std::uint64_t> uses(20);
    for (auto& u : uses) u = random() % blocks;
    REQUIRE(loads(uses, capacity, everything) == fewest_loads(uses, capacity));
  }
}

// 64 blocks of which 16 fit, in repeated sweeps. If all are used in order, 15 of the other 63 can be kept from one use
// to the next, so a sweep costs 64 x 48/63 = 48.8 loads. The first costs 64, and the end of the last one needs no
// memory.
TEST_CASE(
    "a cyclic sweep over four times the memory keeps what can be kept, where the least recently used misses all") {
  CHECK(loads(sweeps(64, 3), 16, 0) == 192);
  CHECK(loads(sweeps(64, 3), 16, everything) == 160);  // 64 + 2 x 48
  CHECK(loads(sweeps(64, 30), 16, 0) == 1920);
  CHECK(loads(sweeps(64, 30), 16, everything) == 1470);  // 64 + 29 x 48.5
}

TEST_CASE(
    "a queue of one sweep is as good as knowing all, a shorter one by what it reaches beyond the memory's blocks") {
  CHECK(loads(sweeps(64, 30), 16, 63) == loads(sweeps(64, 30), 16, everything));
  CHECK(loads(sweeps(64, 30), 16, 56) <= 1648);  // half of the possible gain
  // a block used 16 uses ago is next used in 48: the queue does not distinguish them
  CHECK(loads(sweeps(64, 30), 16, 48) == 1920);
}
