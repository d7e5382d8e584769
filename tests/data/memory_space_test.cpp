#include "data/memory_space.hpp"

#include <doctest/doctest.h>

#include <cstring>

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
  creation* told = m.destroy(a, &d);
  REQUIRE(told == &c);
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

TEST_CASE("a later creation may not take what an earlier one waits for, but may take what is left beside it") {
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
  creation* told = m.destroy(a, &d);
  REQUIRE(told == &large);
  CHECK(large.is == creation::outcome::granted);
  REQUIRE(told->next == &greedy);
  CHECK(greedy.is == creation::outcome::refused);
}

TEST_CASE("memory is committed as it is used, not when the runtime starts") {
  memory_space m(place{0}, "ram", place_kind::system_memory, std::uint64_t{1} << 34);
  CHECK(m.usage().committed == 0);
  CHECK(m.usage().largest_block == std::uint64_t{1} << 34);
  block* b = m.try_create(100);
  std::memset(m.address_of(*b), 1, 100);
  CHECK(m.usage().committed <= 1 << 20);
}
