// Addresses of allocations: never shared, always behind the releases of earlier owners, and the least recently used
// allocations are evicted.
#include "graph/memory_map.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

using namespace stretto::graph;

TEST_CASE("an allocation begins at the lowest addresses that fit, above those that were given back just now") {
  memory_map m({.bytes = 1000, .grain = 64});
  CHECK(m.capacity() == 960);
  CHECK(m.taken_by(1) == 64);
  CHECK(m.taken_by(0) == 64);
  dependencies follows;
  m.take({1}, 0, 100, follows, 0);
  CHECK(m.find(64, 0)->offset == 128);
  m.take({2}, 128, 64, follows, 0);
  CHECK(follows.empty());
  m.release({1}, 7, 0);
  CHECK(m.find(64, 0)->offset == 192);  // an allocation behind instruction 7 might have to wait
  CHECK(m.find(64, 7)->offset == 0);    // the horizon has covered the release
  CHECK(m.find(768, 0)->offset == 192);
  CHECK_FALSE(m.find(769, 0));
  m.take({3}, 192, 768, follows, 0);
  m.take({4}, 0, 64, follows, 0);
  CHECK(follows == dependencies{7});
  m.take({5}, 64, 64, follows, 9);
  CHECK(follows == dependencies{7, 9});  // the horizon stands for older releases
  CHECK(m.used() == 960);
}

TEST_CASE("the first candidates are evicted, as few as needed, next to free addresses") {
  memory_map m({.bytes = 640, .grain = 64});
  dependencies follows;
  for (std::uint64_t n = 0; n < 10; ++n) m.take({n + 1}, n * 64, 64, follows, 0);
  m.release({5}, 3, 0);
  const std::vector<allocation_id> order{{9}, {2}, {6}, {1}, {3}};
  CHECK(m.find(64, 0, {}, order)->evicted.empty());
  const auto two = m.find(128, 0, {}, order);
  REQUIRE(two);
  CHECK(two->offset == 4 * 64);
  CHECK(two->evicted == std::vector<allocation_id>{{6}});  // evicting 9 and 2 would be in vain
  const std::vector<allocation_id> must_leave{{10}};
  const auto beside = m.find(128, 0, must_leave, order);
  REQUIRE(beside);
  CHECK(beside->offset == 8 * 64);
  CHECK(beside->evicted == std::vector<allocation_id>{{10}, {9}});
  CHECK_FALSE(m.find(4 * 64, 0, {}, order));
}

TEST_CASE("live allocations never share addresses, and follow the releases of earlier owners") {
  std::mt19937 random(1);
  const auto number = [&](std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  for (int program = 0; program < 200; ++program) {
    const memory_bounds bounds{.bytes = number(1, 2000), .grain = number(1, 9)};
    memory_map m(bounds);
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> there;  // by allocation
    std::vector<std::uint64_t> released(bounds.bytes);                       // by address
    std::uint64_t applied = 0, next = 0;
    for (std::uint64_t step = 1; step < 200; ++step) {
      if (number(0, 9) == 0) applied = next;
      ++next;
      if (number(0, 1) && !there.empty()) {
        auto which = std::next(there.begin(), static_cast<std::ptrdiff_t>(number(0, there.size() - 1)));
        m.release({which->first}, next, applied);
        for (std::uint64_t a = which->second.first; a < which->second.second; ++a) released[a] = next;
        there.erase(which);
        continue;
      }
      const std::uint64_t bytes = number(0, bounds.bytes);
      const auto hole = m.find(bytes, applied);
      // The model: the longest run of free addresses.
      std::uint64_t stretch = 0, longest = 0;
      for (std::uint64_t a = 0; a < m.capacity(); ++a) {
        const bool is_free =
            std::ranges::none_of(there, [&](const auto& t) { return t.second.first <= a && a < t.second.second; });
        longest = std::max(longest, stretch = is_free ? stretch + 1 : 0);
      }
      REQUIRE(hole.has_value() == (m.taken_by(bytes) <= longest));
      if (!hole) continue;
      const std::uint64_t last = hole->offset + m.taken_by(bytes);
      for (const auto& [a, t] : there) REQUIRE((last <= t.first || t.second <= hole->offset));
      dependencies follows;
      m.take({step}, hole->offset, bytes, follows, applied);
      for (std::uint64_t a = hole->offset; a < last; ++a)
        if (released[a])
          REQUIRE(std::ranges::any_of(follows, [&](std::uint64_t f) { return f >= std::max(released[a], applied); }));
      there[step] = {hole->offset, last};
      REQUIRE(m.pieces() <= 2 * there.size() + 300);
    }
  }
}
