#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <map>
#include <random>
#include <vector>

#include "campaign.hpp"
#include "ranks/heap/heap_blocks.hpp"

using namespace stretto;
using ranks::heap_blocks, ranks::sharing;

namespace {

/// Memory for blocks, which are never accessed.
struct address_space {
  std::array<std::byte, 1000> bytes;
  std::byte* at(std::size_t offset) { return bytes.data() + offset; }
};

/// A rank's pointer: the block that it leads to, and what it may read there.
struct model_pointer {
  std::size_t block, first, bytes;
};

}  // namespace

TEST_CASE("a block has one hold from its start, and ends with it") {
  address_space memory;
  heap_blocks blocks;
  CHECK_FALSE(blocks.release(memory.at(0)).was_held);
  blocks.add(memory.at(0), 100);
  CHECK(blocks.find(memory.at(0))->block_holds == 1);
  CHECK_FALSE(blocks.find(memory.at(1)));
  const auto ended = blocks.release(memory.at(0));
  CHECK((ended.was_held && ended.unused == memory.at(0)));
  CHECK_FALSE(blocks.release(memory.at(0)).was_held);
}

TEST_CASE("a receiver shares part of a block, which ends with the last hold, in any order") {
  for (const bool sender_first : {false, true}) {
    address_space memory;
    heap_blocks blocks;
    blocks.add(memory.at(0), 100);
    blocks.add(memory.at(200), 40);
    heap_blocks::ended_hold left{};
    REQUIRE(blocks.share(memory.at(30), 40, memory.at(200), left) == sharing::shared);
    CHECK(left.unused == memory.at(200));
    CHECK(blocks.find(memory.at(30))->block == memory.at(0));
    CHECK(blocks.find(memory.at(0))->block_holds == 2);
    std::byte* const order[] = {memory.at(sender_first ? 0 : 30), memory.at(sender_first ? 30 : 0)};
    CHECK_FALSE(blocks.release(order[0]).unused);
    CHECK(blocks.release(order[1]).unused == memory.at(0));
  }
}

TEST_CASE("a block is not shared unless the data is within one, and the receiver's whole block is replaced") {
  address_space memory;
  heap_blocks blocks;
  blocks.add(memory.at(0), 100);
  blocks.add(memory.at(200), 40);
  heap_blocks::ended_hold left{};
  CHECK(blocks.share(memory.at(70), 40, memory.at(200), left) == sharing::sent_from_elsewhere);
  CHECK(blocks.share(memory.at(150), 40, memory.at(200), left) == sharing::sent_from_elsewhere);
  CHECK(blocks.share(memory.at(0), 40, memory.at(201), left) == sharing::received_elsewhere);
  CHECK(blocks.share(memory.at(0), 39, memory.at(200), left) == sharing::received_block_is_larger);
  CHECK_FALSE(left.was_held);
  CHECK(blocks.release(memory.at(200)).unused == memory.at(200));
}

TEST_CASE("a block that ended unseen is forgotten when its memory is in use again") {
  address_space memory;
  heap_blocks blocks;
  blocks.add(memory.at(0), 100);
  blocks.add(memory.at(200), 50);
  blocks.add(memory.at(90), 120);
  CHECK_FALSE(blocks.find(memory.at(0)));
  CHECK_FALSE(blocks.find(memory.at(200)));
  CHECK(blocks.find(memory.at(90))->bytes == 120);
}

TEST_CASE("random holds end their blocks exactly when none is left") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(300, 10'000); ++seed) {
    CAPTURE(seed);
    std::minstd_rand random(static_cast<unsigned>(seed + 1));
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    address_space memory;
    heap_blocks blocks;
    std::vector<model_pointer> pointers;
    std::map<std::size_t, std::size_t> holds;  // of each block, by its start
    const auto end = [&](const model_pointer& one, const heap_blocks::ended_hold& ended) {
      REQUIRE(ended.was_held);
      REQUIRE(ended.unused == (--holds[one.block] == 0 ? memory.at(one.block) : nullptr));
    };
    for (int step = 0; step < 60; ++step) {
      const std::size_t slot = below(10) * 100;
      if (holds[slot] == 0) {
        const std::size_t bytes = 20 + below(80);
        blocks.add(memory.at(slot), bytes);
        pointers.push_back({slot, slot, bytes});
        holds[slot] = 1;
      } else if (const std::size_t sender = below(pointers.size()), receiver = below(pointers.size());
                 sender != receiver && below(2) == 0) {
        const model_pointer from = pointers[sender], was = pointers[receiver];
        if (was.bytes > from.bytes) continue;
        heap_blocks::ended_hold left{};
        const sharing result = blocks.share(memory.at(from.first), was.bytes, memory.at(was.first), left);
        if (result != sharing::shared) {  // another hold at the address is larger
          REQUIRE(result == sharing::received_block_is_larger);
          continue;
        }
        ++holds[from.block];
        end(was, left);
        pointers[receiver] = {from.block, from.first, was.bytes};
      } else {
        const std::size_t freed = below(pointers.size());
        end(pointers[freed], blocks.release(memory.at(pointers[freed].first)));
        pointers.erase(pointers.begin() + static_cast<std::ptrdiff_t>(freed));
      }
    }
  }
}
