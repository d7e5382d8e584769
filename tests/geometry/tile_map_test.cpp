#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "geometry/tile_map.hpp"

using namespace stretto;

namespace {

// The tiles that a visit calls for, as text in order.
template <class State>
std::string visited(tile_map<State>& map, const box& where) {
  std::vector<std::pair<box, State>> all;
  map.visit(where, [&](const box& b, State& s) { all.emplace_back(b, s); });
  std::sort(all.begin(), all.end());
  std::string text;
  for (const auto& [b, s] : all) text += (text.empty() ? "" : " ") + b.text() + "=" + std::to_string(s);
  return text;
}

void set(tile_map<int>& map, const box& where, int value) {
  map.visit(where, [&](const box&, int& s) { s = value; });
}

}  // namespace

TEST_CASE("a visit makes the tiles that lack and cuts those that reach beyond") {
  tile_map<int> map;
  set(map, box(0, 10), 1);
  CHECK(visited(map, box(8, 12)) == "[8,10)=1 [10,12)=0");
  CHECK(visited(map, box(0, 10)) == "[0,8)=1 [8,10)=1");
  CHECK(map.size() == 3);
  map.visit(box(), [](const box&, int&) { FAIL("nothing is in the empty box"); });
}

TEST_CASE("a look cuts nothing and leaves out what has no tile") {
  tile_map<int> map;
  set(map, box(0, 10), 1);
  set(map, box(20, 30), 2);
  int sum = 0;
  map.look(box(5, 25), [&](const box& b, const int& s) { sum += s * static_cast<int>(b.volume()); });
  CHECK(sum == 5 * 1 + 5 * 2);
  CHECK(map.size() == 2);
}

TEST_CASE("tiles stay cut while tiles and the whole take turns") {
  tile_map<int> map;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 10; ++i) set(map, box(10 * i, 10 * i + 10), i);
    set(map, box(0, 100), -1);
    CHECK(map.size() == 10);
  }
}

TEST_CASE("tiles are joined once only the whole is named") {
  tile_map<int> map;
  for (int i = 0; i < 10; ++i) set(map, box(10 * i, 10 * i + 10), i);
  for (int round = 0; round < 8; ++round) set(map, box(0, 100), round);
  CHECK(map.size() == 10);
  set(map, box(0, 100), 8);
  CHECK(map.size() == 1);
  CHECK(visited(map, box(0, 100)) == "[0,100)=8");
}

TEST_CASE("tiles in one state can be joined wherever they lie") {
  tile_map<int> map;
  for (int i = 0; i < 10; ++i) set(map, box({i, 0}, {i + 1, 5}), i == 3 ? 1 : 0);
  map.join_all(0);
  CHECK(map.size() == 3);
  CHECK(visited(map, box({0, 0}, {10, 5})) == "[0,3)x[0,5)=0 [3,4)x[0,5)=1 [4,10)x[0,5)=0");
}

TEST_CASE("remembered boxes are as few as tiles, however many boxes are named") {
  tile_map<int> map;
  set(map, box(0, 100), 1);
  for (int i = 0; i < 2000; ++i) {
    map.visit(box(i % 7, 50 + i % 31), [](const box&, int&) {});
    map.look(box(0, 100 + i), [](const box&, const int&) {});
    CHECK(map.remembered() <= 4 * map.size() + 64);
  }
}

TEST_CASE("every element has the state of its last visit, in one to three dimensions, over many seeds") {
  for (unsigned seed = 0; seed < test::scaled(400u, 20'000u); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<coordinate>(random() % static_cast<unsigned>(n)); };
    const int axes = 1 + static_cast<int>(seed % 3), side = axes == 1 ? 40 : axes == 2 ? 9 : 5;
    std::vector<int> model(static_cast<std::size_t>(side) * (axes > 1 ? side : 1) * (axes > 2 ? side : 1), 0);
    const auto each = [&](const box& b, auto f) {
      for (auto x = b.min()[0]; x < b.max()[0]; ++x)
        for (auto y = b.min()[1]; y < b.max()[1]; ++y)
          for (auto z = b.min()[2]; z < b.max()[2]; ++z)
            f(model[static_cast<std::size_t>((x * (axes > 1 ? side : 1) + y) * (axes > 2 ? side : 1) + z)]);
    };
    bool sound = true;
    tile_map<int> map;
    std::vector<box> named;  // some boxes come again
    for (int step = 0; step < 60; ++step) {
      point min, max(1, 1, 1);
      for (int a = 0; a < axes; ++a) min[a] = below(side), max[a] = min[a] + 1 + below(side - static_cast<int>(min[a]));
      box where = box::between(min, max);
      if (!named.empty() && below(3) != 0)
        where = named[static_cast<std::size_t>(below(static_cast<int>(named.size())))];
      named.push_back(where);
      const int times = below(10) == 0 ? 11 : 1;
      for (int i = 0; i < times; ++i) {
        const int value = static_cast<int>(below(4));
        if (below(4) == 0) {
          map.erase_if([&](int s) { return s == value; });
          for (int& m : model) m = m == value ? 0 : m;
        }
        if (below(8) == 0) map.join_all(value);
        std::uint64_t volume = 0;
        bool same = true;
        map.visit(where, [&](const box& b, int& s) {
          volume += where.contains(b) ? b.volume() : 0;
          each(b, [&](int m) { same = same && m == s; });
          s = value;
        });
        sound = sound && same && volume == where.volume();
        each(where, [&](int& m) { m = value; });
      }
      map.look(box(extent(side, axes > 1 ? side : 1, axes > 2 ? side : 1)),
               [&](const box& b, const int& s) { each(b, [&](int m) { sound = sound && m == s; }); });
    }
    REQUIRE(sound);
  }
}
