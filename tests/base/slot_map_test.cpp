#include "base/slot_map.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace stretto::base {
namespace {

using numbered = std::vector<std::pair<std::uint64_t, int>>;

template <class T>
std::vector<T> values_of(slot_map<T>& all) {
  std::vector<T> found;
  all.for_each([&](std::uint64_t, const T& v) { found.push_back(v); });
  return found;
}

TEST_CASE("a number finds its value until that is erased, and nobody's afterwards") {
  slot_map<std::string> all;
  CHECK(all.is_empty());
  CHECK(all.find(0) == nullptr);
  CHECK_FALSE(all.erase(0));
  const auto a = all.add("a"), b = all.add("b");
  CHECK(a != 0);
  CHECK(a != b);
  REQUIRE(all.find(a));
  CHECK(*all.find(a) == "a");
  CHECK(all.erase(a));
  CHECK_FALSE(all.erase(a));
  CHECK(all.find(a) == nullptr);
  const auto c = all.add("c");  // where "a" was
  CHECK(c != a);
  CHECK(static_cast<std::uint32_t>(c) == static_cast<std::uint32_t>(a));
  CHECK(all.find(a) == nullptr);
  CHECK_FALSE(all.erase(a));
  CHECK(*all.find(c) == "c");
  CHECK(*all.find(b) == "b");
  CHECK(all.size() == 2);
}

TEST_CASE("values are walked in the order of adding, not of their slots") {
  slot_map<int> all;
  const auto one = all.add(1);
  all.add(2);
  const auto three = all.add(3);
  all.erase(one);
  all.add(4);  // in the first slot
  CHECK(values_of(all) == std::vector{2, 3, 4});
  all.erase(three);
  all.add(5);
  CHECK(values_of(all) == std::vector{2, 4, 5});
}

TEST_CASE("a walk may erase what it is at") {
  slot_map<int> all;
  for (int i = 0; i < 10; ++i) all.add(int{i});
  all.for_each([&](std::uint64_t n, int v) {
    if (v % 3) all.erase(n);
  });
  CHECK(values_of(all) == std::vector{0, 3, 6, 9});
  all.for_each([&](std::uint64_t n, int) { all.erase(n); });
  CHECK(all.is_empty());
  CHECK(values_of(all).empty());
  all.add(7);
  CHECK(values_of(all) == std::vector{7});
}

TEST_CASE("values end when they are erased, or with the map, and do not move before") {
  const auto counted = std::make_shared<int>(0);
  {
    slot_map<std::shared_ptr<int>> all;
    const auto first = all.add(std::shared_ptr(counted));
    const auto* const at = all.find(first);
    for (int i = 0; i < 1000; ++i) all.add(std::shared_ptr(counted));
    CHECK(all.find(first) == at);
    CHECK(counted.use_count() == 1002);
    all.erase(first);
    CHECK(counted.use_count() == 1001);
  }
  CHECK(counted.use_count() == 1);
}

TEST_CASE("random programs do what a map by the order of adding does") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    slot_map<int> all;
    std::map<int, std::uint64_t> model;  // value, which counts up: number
    std::vector<std::uint64_t> gone;
    int next = 0;
    for (int step = 0; step < 400; ++step) {
      if (random() % 5 < (step / 100 % 2 ? 2 : 3)) {
        model[next] = all.add(int{next});
        ++next;
      } else if (!model.empty()) {
        const auto chosen = std::next(model.begin(), static_cast<long>(random() % model.size()));
        REQUIRE(all.find(chosen->second));
        CHECK(*all.find(chosen->second) == chosen->first);
        CHECK(all.erase(chosen->second));
        gone.push_back(chosen->second);
        model.erase(chosen);
      }
    }
    numbered walked, expected;
    all.for_each([&](std::uint64_t n, int v) { walked.emplace_back(n, v); });
    for (const auto& [v, n] : model) expected.emplace_back(n, v);
    CHECK(walked == expected);
    CHECK(all.size() == model.size());
    CHECK(std::ranges::none_of(gone, [&](std::uint64_t n) { return all.find(n) != nullptr; }));
  }
}

}  // namespace
}  // namespace stretto::base
