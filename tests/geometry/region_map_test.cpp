#include <doctest/doctest.h>

#include <boost/icl/interval_map.hpp>
#include <optional>
#include <string>

#include "geometry/region_map.hpp"
#include "geometry/small_boxes.hpp"

using namespace stretto;

namespace {

template <class Value>
std::string text(const std::vector<std::pair<box, Value>>& entries) {
  std::string s;
  for (const auto& [b, v] : entries) s += (s.empty() ? "" : " ") + b.text() + "=" + std::to_string(v);
  return s;
}

const box everywhere({-99, -99, -99}, {99, 99, 99});

}  // namespace

TEST_CASE("a query gives the parts of entries inside it, in order") {
  region_map<int> map(box({0, 0}, {4, 9}), 1);
  map.update(box({1, 3}, {3, 6}), 2);
  CHECK(text(map.query(box({1, 0}, {2, 9}))) == "[1,2)x[0,3)=1 [1,2)x[3,6)=2 [1,2)x[6,9)=1");
  CHECK(map.query(box({50, 50}, {60, 60})).empty());
  CHECK(map.query(box()).empty());
  REQUIRE(map.at({1, 4}));
  CHECK(*map.at({1, 4}) == 2);
  CHECK(map.at({4, 4}) == nullptr);
}

TEST_CASE("equal neighbours become one entry again") {
  region_map<int> map(box({0, 0}, {10, 10}), 1);
  map.update(box({3, 3}, {4, 4}), 2);
  CHECK(map.size() == 5);
  map.update(box({3, 3}, {4, 4}), 1);
  CHECK(map.size() == 1);
  map.update(box({10, 0}, {12, 10}), 1);
  CHECK(text(map.query(everywhere)) == "[0,12)x[0,10)=1");
  map.update(box({2, 2}, {5, 5}), 1);
  CHECK(map.size() == 1);
}

TEST_CASE("a chain of updates in order stays one entry") {
  region_map<int> map;
  for (int i = 0; i < 1000; ++i) map.update(box(i, i + 1), 7);
  CHECK(text(map.query(box(-1, 2000))) == "[0,1000)=7");
}

TEST_CASE("erased points have no value") {
  region_map<int> map(box(0, 10), 1);
  map.erase(box(3, 5));
  CHECK(text(map.query(everywhere)) == "[0,3)=1 [5,10)=1");
  CHECK(map.at(point(4)) == nullptr);
  map.erase(everywhere);
  CHECK(map.size() == 0);
}

TEST_CASE("transform changes values by what they were") {
  region_map<int> map(box(0, 10), 1);
  map.update(box(5, 10), 2);
  map.transform(box(3, 20), [](int v) { return v * 10; });
  CHECK(text(map.query(everywhere)) == "[0,3)=1 [3,5)=10 [5,10)=20");
  map.transform(everywhere, [](int) { return 0; });
  CHECK(text(map.query(everywhere)) == "[0,10)=0");
}

TEST_CASE("a value may be anything that compares, true and false included") {
  region_map<bool> flags(box(0, 4), false);
  flags.update(box(1, 2), true);
  CHECK(*flags.at(point(1)));
  CHECK_FALSE(*flags.at(point(2)));
  struct no_default {
    explicit no_default(std::string s) : name(std::move(s)) {}
    std::string name;
    bool operator==(const no_default&) const = default;
  };
  region_map<no_default> names(box(0, 9), no_default("a"));
  names.update(region{box(0, 2), box(5, 6)}, no_default("b"));
  CHECK(names.query(everywhere).size() == 4);
}

TEST_CASE("every point has the value of its last update, in one to three dimensions") {
  const bool ok = rc::check([] {
    region_map<int> map;
    std::vector<std::optional<int>> model(small_boxes::bitmap().size());
    const auto boxes = *rc::gen::scale(2.0, small_boxes::several());
    for (const box& where : boxes) {
      const int action = *rc::gen::inRange(0, 6);
      const auto change = [&](auto how) {
        small_boxes::each_point([&](const point& p) {
          if (where.contains(p)) how(model[small_boxes::bit(p)]);
        });
      };
      if (action == 0) {
        map.erase(where);
        change([](auto& v) { v.reset(); });
      } else if (action == 1) {
        map.transform(where, [](int v) { return (v + 1) % 3; });
        change([](auto& v) {
          if (v) v = (*v + 1) % 3;
        });
      } else {
        map.update(where, action % 3);
        change([&](auto& v) { v = action % 3; });
      }
      RC_ASSERT(map.is_sound());
    }
    const box where = *small_boxes::any();
    const auto entries = map.query(where);
    small_boxes::bitmap covered;
    for (const auto& [b, value] : entries) {
      RC_ASSERT(where.contains(b));
      RC_ASSERT((covered & small_boxes::bits(b)).none());
      covered |= small_boxes::bits(b);
      small_boxes::each_point([&, &b = b, &value = value](const point& p) {
        if (b.contains(p)) RC_ASSERT(model[small_boxes::bit(p)] == value);
      });
    }
    small_boxes::each_point([&](const point& p) {
      if (where.contains(p)) RC_ASSERT(covered[small_boxes::bit(p)] == model[small_boxes::bit(p)].has_value());
      const int* value = map.at(p);
      RC_ASSERT((value ? std::optional(*value) : std::nullopt) == model[small_boxes::bit(p)]);
    });
  });
  CHECK(ok);
}

TEST_CASE("in one dimension a map agrees with boost::icl, coalescing included") {
  using interval = boost::icl::interval<coordinate>;
  const bool ok = rc::check([](const std::vector<std::tuple<std::uint8_t, std::uint8_t, std::uint8_t>>& updates) {
    region_map<int> map;
    boost::icl::interval_map<coordinate, int, boost::icl::partial_enricher> oracle;
    for (const auto& [start, length, value] : updates) {
      map.update(box(start, start + length % 40), value % 3 + 1);
      oracle.set({interval::right_open(start, start + length % 40), value % 3 + 1});
    }
    std::vector<std::pair<box, int>> expected;
    for (const auto& [where, value] : oracle) expected.emplace_back(box(where.lower(), where.upper()), value);
    RC_ASSERT(map.query(everywhere.widened({1000, 0, 0})) == expected);
  });
  CHECK(ok);
}

TEST_CASE("a region map tells whether all of a box has one value, and goes over the parts of a box") {
  region_map<int> map(box(0, 10), 1);
  map.update(box(10, 20), 2);
  CHECK(map.is(box(0, 10), 1));
  CHECK(!map.is(box(0, 10), 2));
  CHECK(!map.is(box(5, 15), 1));
  CHECK(!map.is(box(15, 25), 2));  // the last five have none
  int values = 0;
  std::uint64_t volume = 0;
  map.look(box(5, 15), [&](const box& part, int value) { return values += value, volume += part.volume(), true; });
  CHECK(values == 3);
  CHECK(volume == 10);
  int calls = 0;
  map.look(box(5, 15), [&](const box&, int) { return ++calls, false; });
  CHECK(calls == 1);
}
