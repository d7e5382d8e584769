#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "geometry/box_index.hpp"
#include "geometry/small_boxes.hpp"

using namespace stretto;
using geometry::box_index;

namespace {

std::vector<box_index::entry> found(const box_index& in, const box& where) {
  std::vector<box_index::entry> entries;
  in.find(where, entries);
  std::sort(entries.begin(), entries.end());
  return entries;
}

// Boxes that cannot meet: subsets of the cells of a grid.
box inside_cell(int i, int axes, std::mt19937& random) {
  point cell, min;
  extent size;
  for (int axis = 0; axis < axes; ++axis) {
    cell[axis] = i % 12;
    i /= 12;
    min[axis] = cell[axis] * 10 + static_cast<coordinate>(random() % 5);
    size[axis] = 1 + static_cast<coordinate>(random() % 5);
  }
  return box::sized(min, size);
}

}  // namespace

TEST_CASE("an empty index finds and erases nothing") {
  box_index index;
  CHECK(found(index, box(0, 100)).empty());
  CHECK_FALSE(index.erase(box(0, 1)));
  CHECK_FALSE(index.erase(box()));
  CHECK(index.is_sound());
  CHECK(index.depth() == 0);
}

TEST_CASE("only exactly the same box is erased") {
  box_index index;
  index.insert(box(0, 10), 1);
  CHECK_FALSE(index.erase(box(0, 9)));
  CHECK_FALSE(index.erase(box(2, 3)));
  CHECK_FALSE(index.shrink(box(2, 3), box(2, 3)));
  CHECK(index.erase(box(0, 10)));
  CHECK(index.size() == 0);
}

TEST_CASE("the index finds what a plain list finds, through any insertions and erasures") {
  for (const int axes : {1, 2, 3}) {
    std::mt19937 random(static_cast<unsigned>(axes));
    int cells = 1;
    for (int i = 0; i < axes; ++i) cells *= 12;
    box_index index;
    std::map<int, box> list;
    for (int step = 0; step < 6000; ++step) {
      // Phases of growing and shrinking, down to nothing.
      const bool grow = step / 1500 % 2 == 0 ? random() % 4 != 0 : random() % 8 == 0;
      const int cell = static_cast<int>(random() % static_cast<unsigned>(cells));
      if (grow && !list.contains(cell)) {
        list[cell] = inside_cell(cell, axes, random);
        index.insert(list[cell], static_cast<std::uint32_t>(cell));
      } else if (!grow && !list.empty()) {
        auto victim = list.lower_bound(cell);
        if (victim == list.end()) victim = list.begin();
        REQUIRE(index.erase(victim->second));
        REQUIRE_FALSE(index.erase(victim->second));
        list.erase(victim);
      } else if (!list.empty()) {
        auto& [cell_number, b] = *list.begin();
        const box smaller = box::sized(b.min(), unit);
        REQUIRE(index.shrink(b, smaller));
        b = smaller;
      }
      REQUIRE(index.size() == list.size());
      if (step % 10 != 0) continue;
      REQUIRE(index.is_sound());
      const coordinate x = static_cast<coordinate>(random() % 100), y = static_cast<coordinate>(random() % 100);
      const box where = axes == 1   ? box(x, x + 15)
                        : axes == 2 ? box({x, y}, {x + 25, y + 15})
                                    : box({x, y, 20}, {x + 25, y + 15, 60});
      std::vector<box_index::entry> expected;
      for (const auto& [cell_number, b] : list)
        if (b.meets(where)) expected.push_back({b, static_cast<std::uint32_t>(cell_number)});
      std::sort(expected.begin(), expected.end());
      REQUIRE(found(index, where) == expected);
    }
    while (!list.empty()) {
      REQUIRE(index.erase(list.begin()->second));
      list.erase(list.begin());
      REQUIRE(index.is_sound());
    }
  }
}

TEST_CASE("the tree stays low when intervals come in order, the worst case of simpler trees") {
  box_index index;
  for (int i = 0; i < 20'000; ++i) index.insert(box(2 * i, 2 * i + 1), static_cast<std::uint32_t>(i));
  CHECK(index.is_sound());
  CHECK(index.depth() <= 6);  // log 20,000 to the base 6, and one
  CHECK(found(index, box(20'000, 20'010)).size() == 5);
}

TEST_CASE("a box that is divided is found by its parts, in one leaf or in several") {
  for (const int axes : {1, 2, 3}) {
    std::mt19937 random(static_cast<unsigned>(axes));
    point max(1, 1, 1);
    for (int a = 0; a < axes; ++a) max[a] = 1000;
    box_index index;
    std::vector<box_index::entry> all{{box::between({}, max), 0}};
    index.insert(all[0].box, 0);
    for (std::uint32_t step = 0; step < 400; ++step) {
      box_index::entry& whole = all[random() % all.size()];
      point from = whole.box.min(), to = whole.box.max();
      for (int a = 0; a < axes; ++a) {
        const coordinate length = to[a] - from[a];
        from[a] += static_cast<coordinate>(random() % static_cast<unsigned>(length));
        to[a] = from[a] + 1 + static_cast<coordinate>(random() % static_cast<unsigned>(to[a] - from[a]));
      }
      const box inside = box::between(from, to), before = whole.box;
      std::vector<box> rest;
      difference(before, inside, rest);
      std::vector<box_index::entry> more;
      for (const box& b : rest) more.push_back({b, static_cast<std::uint32_t>(all.size() + more.size())});
      REQUIRE(index.divide(before, inside, more));
      whole.box = inside;
      all.insert(all.end(), more.begin(), more.end());
      REQUIRE(index.is_sound());
      REQUIRE(index.size() == all.size());
    }
    std::vector<box_index::entry> sorted = all;
    std::sort(sorted.begin(), sorted.end());
    CHECK(found(index, box::between({}, max)) == sorted);
    for (int i = 0; i < 100; ++i) {
      const box& where = all[random() % all.size()].box;
      CHECK(found(index, where).size() == 1);
    }
    CHECK_FALSE(index.divide(box(5000, 5001), box(5000, 5001), {}));
  }
}
