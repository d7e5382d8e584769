#include "base/recent_lookups.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace stretto;

TEST_CASE("a key is searched for once, and again after the table has changed") {
  base::recent_lookups<int, int> recent;
  int key = 0, value = 7, other = 8, searches = 0;
  const auto find = [&](std::uint64_t version, int* result) {
    return recent.find(&key, version, [&] {
      ++searches;
      return result;
    });
  };
  CHECK(find(1, &value) == &value);
  CHECK(find(1, nullptr) == &value);
  CHECK(searches == 1);
  CHECK(find(2, nullptr) == nullptr);
  CHECK(find(2, &value) == nullptr);
  CHECK(searches == 2);
  CHECK(find(3, &other) == &other);
}

TEST_CASE("more keys than are kept are all found") {
  base::recent_lookups<int, int> recent;
  std::array<int, 1000> keys{};
  for (int round = 0; round < 3; ++round)
    for (int& key : keys) CHECK(recent.find(&key, 1, [&] { return &key; }) == &key);
}
