#include "data/memory_space.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

using namespace stretto;
using namespace stretto::data;

namespace {
creation request(memory_space& m, std::uint64_t bytes) {
  creation c;
  c.bytes = bytes;
  c.ticket = m.ticket();
  return c;
}
destruction announced(memory_space& m, std::uint64_t bytes) {
  destruction d;
  d.ticket = m.ticket();
  d.bytes = bytes;
  return d;
}
}  // namespace

TEST_CASE("a creation that does not fit is refused with what is free and the longest piece") {
  memory_space m(place{0}, "ram", place_kind::system_memory, 4096);
  block* a = m.try_create(1024 + 64);
  block* b = m.try_create(1024);
  REQUIRE(a);
  REQUIRE(b);
  CHECK(m.destroy(a, nullptr) == nullptr);
  creation c = request(m, 3000);
  CHECK(m.create(c) == creation::outcome::refused);
  CHECK(c.free_bytes == 3072);
  CHECK(c.largest_block == 4096 - 1024 - 1088);
  CHECK(m.usage().used == 1024);
  CHECK(m.usage().peak == 2112);
}

TEST_CASE("a creation waits for destructions that were submitted before it") {
  memory_space m(place{0}, "ram", place_kind::system_memory, 4096);
  block* a = m.try_create(4096);
  destruction d = announced(m, 4096);
  m.announce(d, a);
  creation c = request(m, 4096);
  CHECK(m.create(c) == creation::outcome::waiting);
  creation* resolved = m.destroy(a, &d);
  REQUIRE(resolved == &c);
  CHECK(c.is == creation::outcome::granted);
  CHECK(c.next == nullptr);
}

TEST_CASE("a creation does not wait for destructions that were submitted after it") {
  memory_space m(place{0}, "ram", place_kind::system_memory, 4096);
  block* a = m.try_create(4096);
  creation c = request(m, 64);
  destruction d = announced(m, 4096);
  m.announce(d, a);
  CHECK(m.create(c) == creation::outcome::refused);
  CHECK(m.destroy(a, &d) == nullptr);
}

TEST_CASE("the last earlier destruction decides: what still does not fit is refused then") {
  memory_space m(place{0}, "ram", place_kind::system_memory, 4096);
  block* a = m.try_create(2048);
  block* b = m.try_create(2048);
  destruction d1 = announced(m, 2048);
  m.announce(d1, a);
  creation c = request(m, 4096);
  destruction d2 = announced(m, 2048);
  m.announce(d2, b);
  CHECK(m.create(c) == creation::outcome::waiting);
  CHECK(m.destroy(a, &d1) == &c);
  CHECK(c.is == creation::outcome::refused);
  CHECK(c.free_bytes == 2048);
  CHECK(m.destroy(b, &d2) == nullptr);
}

TEST_CASE("a later creation may not take memory that an earlier one waits for, but may take the rest") {
  memory_space m(place{0}, "ram", place_kind::system_memory, 8192);
  block* a = m.try_create(4096);
  destruction d = announced(m, 4096);
  m.announce(d, a);
  creation large = request(m, 6144);
  CHECK(m.create(large) == creation::outcome::waiting);
  creation small = request(m, 2048);  // 8192 in all, 6144 promised
  CHECK(m.create(small) == creation::outcome::granted);
  creation greedy = request(m, 1024);
  CHECK(m.create(greedy) == creation::outcome::waiting);
  CHECK(m.try_create(1024) == nullptr);
  creation* resolved = m.destroy(a, &d);
  REQUIRE(resolved == &large);
  CHECK(large.is == creation::outcome::granted);
  REQUIRE(resolved->next == &greedy);
  CHECK(greedy.is == creation::outcome::refused);
}

TEST_CASE("a creation with planned addresses waits until they are free, and nothing else gets them meanwhile") {
  memory_space m(place{0}, "ram", place_kind::system_memory, 8192);
  block* a = m.try_create(2048);
  block* b = m.try_create(2048);
  REQUIRE(b->offset == 2048);
  destruction d1 = announced(m, 2048), d2 = announced(m, 2048);
  m.announce(d1, a), m.announce(d2, b);
  creation planned = request(m, 6144);
  planned.at.offset = 1024;
  CHECK(m.try_create(6144, planned.at) == nullptr);
  CHECK(m.create(planned) == creation::outcome::waiting);
  CHECK(m.usage().free == 1024);
  CHECK(m.try_create(2048) == nullptr);
  block* const behind = m.try_create(1024);
  REQUIRE(behind);
  CHECK(behind->offset == 7168);
  CHECK(m.destroy(b, &d2) == nullptr);
  CHECK(m.usage().free == 0);  // it has the planned addresses
  CHECK(m.destroy(a, &d1) == &planned);
  REQUIRE(planned.is == creation::outcome::granted);
  CHECK(planned.held->offset == 1024);
  CHECK(m.usage().free == 1024);
}

TEST_CASE("a creation does not wait for planned addresses where something stays") {
  memory_space m(place{0}, "ram", place_kind::system_memory, 8192);
  block* const stays = m.try_create(1024);
  REQUIRE(stays->offset == 0);
  creation planned = request(m, 2048);
  planned.at.offset = 0;
  CHECK(m.create(planned) == creation::outcome::granted);
  CHECK(planned.held->offset == 1024);
}

TEST_CASE("memory is committed as it is used, not when the runtime starts") {
  memory_space m(place{0}, "ram", place_kind::system_memory, std::uint64_t{1} << 34);
  CHECK(m.usage().committed == 0);
  CHECK(m.usage().largest_block == std::uint64_t{1} << 34);
  block* b = m.try_create(100);
  std::memset(m.address_of(*b), 1, 100);
  CHECK(m.usage().committed <= 1 << 20);
  // where the end is no better than the front: all pages in between would be allocated
  REQUIRE(m.try_create(64, {.is_at_end = true}));
  CHECK(m.usage().committed <= 1 << 20);
}

namespace {
/// A device that records what it is asked to page-lock.
class locking_device final : public device::device {
 public:
  locking_device() { about_.copies_page_locked_faster = true; }
  const stretto::device::properties& about() const noexcept override { return about_; }
  std::byte* memory() const noexcept override { return nullptr; }
  void allocated(std::byte*, std::uint64_t) override {}
  void freed(std::byte*, std::uint64_t) noexcept override {}
  bool lock_host(std::byte* first, std::uint64_t bytes) noexcept override {
    if (refuses) return false;
    first[0] = first[bytes - 1] = std::byte{1};  // it is usable
    locked[first] = bytes;
    return true;
  }
  void unlock_host(std::byte* first) noexcept override { locked.erase(first); }
  std::unique_ptr<stretto::device::stream> make_stream() override { return nullptr; }
  std::shared_ptr<const stretto::device::compiled_kernel> compile(const kernel_code&) override { return nullptr; }
  std::size_t poll() override { return 0; }
  std::size_t pending() const noexcept override { return 0; }

  bool refuses = false;
  std::map<std::byte*, std::uint64_t> locked;

 private:
  stretto::device::properties about_;
};
constexpr std::uint64_t mebi = 1 << 20;
}  // namespace

TEST_CASE("memory is page-locked piece by piece as it comes into use, and no block is half of one piece") {
  locking_device faster, refusing;
  refusing.refuses = true;
  {
    memory_space m(place{0}, "ram", place_kind::system_memory, 400 * mebi);
    m.lock_pages_for({&refusing, &faster}, 128 * mebi);
    CHECK(faster.locked.empty());
    block* const first = m.try_create(1000);
    REQUIRE(first);
    CHECK(faster.locked.size() == 1);
    CHECK(faster.locked.begin()->second == 16 * mebi + (64 << 10));
    std::vector<block*> all{first};
    for (const std::uint64_t bytes :
         {10 * mebi, 10 * mebi, 16 * mebi, 30 * mebi, 32 * mebi, 64 * mebi, 7 * mebi, 100 * mebi}) {
      block* const b = m.try_create(bytes);
      REQUIRE(b);
      all.push_back(b);
      for (const auto& [at, length] : faster.locked) {
        const bool begins_inside = m.address_of(*b) >= at && m.address_of(*b) < at + length;
        const bool ends_inside = m.address_of(*b) + b->bytes > at && m.address_of(*b) + b->bytes <= at + length;
        CHECK(begins_inside == ends_inside);
      }
    }
    // 16, 32 and what is left below 128.
    CHECK(faster.locked.size() == 3);
    for (block* const b : all) CHECK(m.destroy(b, nullptr) == nullptr);
    REQUIRE(m.try_create(270 * mebi));  // behind them it is one piece
  }
  CHECK(faster.locked.empty());
}

TEST_CASE("memory of which all may be page-locked is so, whatever is asked for first") {
  for (const std::uint64_t all : {mebi, 16 * mebi + (64 << 10), 20 * mebi, 64 * mebi, 255 * mebi + 4096}) {
    CAPTURE(all);
    for (const std::uint64_t first : {std::uint64_t{100}, 256 * mebi / 1024, all / 8 * 7}) {
      CAPTURE(first);
      locking_device d;
      memory_space m(place{0}, "ram", place_kind::system_memory, all);
      m.lock_pages_for({&d}, 1 << 30);
      for (const std::uint64_t bytes : {first, std::uint64_t{5000}, mebi / 4}) {
        const block* const b = m.try_create(bytes);
        if (!b) continue;  // no piece is that long
        std::byte* const at = m.address_of(*b);
        CHECK(std::ranges::any_of(d.locked,
                                  [&](const auto& p) { return at >= p.first && at + bytes <= p.first + p.second; }));
      }
    }
  }
}

TEST_CASE("memory that cannot be page-locked works as ordinary memory") {
  locking_device d;
  d.refuses = true;
  memory_space m(place{0}, "ram", place_kind::system_memory, 64 * mebi);
  m.lock_pages_for({&d}, 32 * mebi);
  block* const b = m.try_create(mebi);
  REQUIRE(b);
  std::memset(m.address_of(*b), 1, mebi);
  memory_space small(place{0}, "ram", place_kind::system_memory, mebi);
  small.lock_pages_for({&d}, 1 << 30);
  CHECK(small.try_create(mebi));  // smaller than a piece: it stays whole
}
