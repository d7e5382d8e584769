#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "geometry/small_boxes.hpp"

using namespace stretto;

namespace {

std::string text(const std::vector<box>& boxes) {
  std::string s;
  for (const box& b : boxes) s += (s.empty() ? "" : " ") + b.text();
  return s;
}
template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const split_error& e) {
    return e.what();
  }
  return "no error";
}

// Every side that is not a side of the domain lies on the grain.
bool cuts_on_grain(const box& domain, const std::vector<box>& pieces, const extent& grain) {
  for (const box& b : pieces)
    for (int i = 0; i < max_axes; ++i)
      if ((b.min()[i] != domain.min()[i] && b.min()[i] % grain[i] != 0) ||
          (b.max()[i] != domain.max()[i] && b.max()[i] % grain[i] != 0))
        return false;
  return true;
}

// Disjoint and together the domain, without a bitmap: regions add volumes up.
bool tile_exactly(const box& domain, const std::vector<box>& pieces) {
  std::uint64_t volume = 0;
  for (const box& b : pieces) {
    if (b.is_empty() || !domain.contains(b)) return false;
    volume += b.volume();
  }
  return volume == domain.volume() && region(std::span(pieces)) == region(domain);
}

rc::Gen<box> domains() {
  return rc::gen::map(rc::gen::tuple(rc::gen::inRange(-40, 40), rc::gen::inRange(-40, 40), rc::gen::inRange(0, 50),
                                     rc::gen::inRange(0, 50), rc::gen::inRange(1, 3)),
                      [](const auto& t) {
                        const auto [x, y, h, w, d] = t;
                        return box::sized({x, y, 0}, {h, w, d});
                      });
}
rc::Gen<extent> grains() {
  return rc::gen::map(rc::gen::tuple(rc::gen::inRange(1, 9), rc::gen::inRange(1, 9)),
                      [](const auto& t) { return extent(std::get<0>(t), std::get<1>(t)); });
}

}  // namespace

TEST_CASE("split cuts along the slowest axis into near-equal parts, larger ones first") {
  CHECK(text(split({0, 10}, 3)) == "[0,4) [4,7) [7,10)");
  CHECK(text(split({0, 10}, 4)) == "[0,3) [3,6) [6,8) [8,10)");
  CHECK(text(split(box({0, 0}, {4, 6}), 2)) == "[0,2)x[0,6) [2,4)x[0,6)");
  CHECK(text(split(box({3, 0}, {4, 6}), 2)) == "[3,4)x[0,3) [3,4)x[3,6)");  // a single row is cut by columns
  CHECK(text(split({-5, 5}, 2)) == "[-5,0) [0,5)");
}

TEST_CASE("split makes no more parts than there are grain cells") {
  CHECK(text(split({0, 3}, 100)) == "[0,1) [1,2) [2,3)");
  CHECK(text(split({0, 10}, 100, {4})) == "[0,4) [4,8) [8,10)");
  CHECK(text(split({3, 10}, 100, {4})) == "[3,4) [4,8) [8,10)");
  CHECK(text(split({0, 10}, 100, {16})) == "[0,10)");
  CHECK(split({0, 3}, std::numeric_limits<std::size_t>::max()).size() == 3);
  CHECK(split(box(), 3).empty());
}

TEST_CASE("split keeps its promises for any domain, parts and grain") {
  const bool ok = rc::check([] {
    const box domain = *domains();
    const auto parts = static_cast<std::size_t>(*rc::gen::inRange(1, 70));
    const extent grain = *grains();
    const auto pieces = split(domain, parts, grain);
    RC_ASSERT(pieces.size() <= parts);
    RC_ASSERT(pieces.empty() == domain.is_empty());
    if (domain.is_empty()) return;
    RC_ASSERT(tile_exactly(domain, pieces));
    RC_ASSERT(std::is_sorted(pieces.begin(), pieces.end()));
    RC_ASSERT(cuts_on_grain(domain, pieces, grain));
    const int axis = domain.length(0) > 1 ? 0 : domain.length(1) > 1 ? 1 : domain.length(2) > 1 ? 2 : 0;
    coordinate shortest = INT64_MAX, longest = 0;
    for (const box& b : pieces) {
      shortest = std::min(shortest, b.length(axis));
      longest = std::max(longest, b.length(axis));
      for (int i = 0; i < max_axes; ++i)
        if (i != axis) RC_ASSERT(b.length(i) == domain.length(i));
    }
    if (grain[axis] == 1) {
      RC_ASSERT(longest - shortest <= 1);
      RC_ASSERT(pieces.size() == std::min<std::size_t>(parts, static_cast<std::size_t>(domain.length(axis))));
    } else {
      // one cell more, and the outer cells may be cut
      RC_ASSERT(longest - shortest <= 3 * grain[axis] - 2);
    }
  });
  CHECK(ok);
}

TEST_CASE("a grid cuts every axis") {
  CHECK(text(split_grid(box({0, 0}, {4, 6}), {2, 2})) == "[0,2)x[0,3) [0,2)x[3,6) [2,4)x[0,3) [2,4)x[3,6)");
  CHECK(split_grid(box({0, 0, 0}, {8, 8, 8}), {2, 3, 4}).size() == 24);
  const bool ok = rc::check([] {
    const box domain = *domains();
    const extent grain = *grains();
    const extent parts(*rc::gen::inRange(1, 12), *rc::gen::inRange(1, 12), *rc::gen::inRange(1, 3));
    const auto pieces = split_grid(domain, parts, grain);
    if (domain.is_empty()) {
      RC_ASSERT(pieces.empty());
      return;
    }
    RC_ASSERT(tile_exactly(domain, pieces));
    RC_ASSERT(std::is_sorted(pieces.begin(), pieces.end()));
    RC_ASSERT(cuts_on_grain(domain, pieces, grain));
    RC_ASSERT(pieces.size() <= static_cast<std::size_t>(parts[0] * parts[1] * parts[2]));
  });
  CHECK(ok);
}

TEST_CASE("tiles are as square as their number allows") {
  CHECK(tile_grid(box({0, 0}, {1080, 1920}), 8) == extent(2, 4));
  CHECK(tile_grid(box({0, 0}, {1920, 1080}), 8) == extent(4, 2));
  CHECK(tile_grid(box({0, 0}, {100, 100}), 12) == extent(3, 4));
  CHECK(tile_grid(box({0, 0}, {100, 100}), 7) == extent(1, 7));
  CHECK(tile_grid(box({0, 0}, {4, 100}), 100) == extent(2, 50));
  CHECK(tile_grid(box({0, 0}, {4, 100}), 100, {4, 4}) == extent(1, 25));  // there are 25 cells
  CHECK(tile_grid(box({0, 0}, {3, 4}), 11) == extent(3, 3));              // 11 and 10 do not fit
  CHECK(tile_grid(box(0, 1000), 10) == extent(10, 1));
  CHECK(split_tiles(box({0, 0}, {1080, 1920}), 8).size() == 8);
  CHECK(split_tiles(box(), 8).empty());
}

TEST_CASE("no other grid of as many tiles has shorter outlines") {
  const bool ok = rc::check([] {
    const box domain = *domains();
    if (domain.is_empty()) return;
    const coordinate parts = *rc::gen::inRange(1, 80);
    const extent grid = tile_grid(domain, static_cast<std::size_t>(parts));
    const coordinate h = domain.length(0), w = domain.length(1), tiles = grid[0] * grid[1];
    RC_ASSERT(grid[0] >= 1 && grid[0] <= h && grid[1] >= 1 && grid[1] <= w && tiles <= parts);
    for (coordinate r = 1; r <= h; ++r)
      for (coordinate c = 1; c <= w && r * c <= parts; ++c) {
        RC_ASSERT(r * c <= tiles);
        if (r * c == tiles) RC_ASSERT(h * c + w * r >= h * grid[1] + w * grid[0]);
      }
    RC_ASSERT(split_tiles(domain, static_cast<std::size_t>(parts)).size() == static_cast<std::size_t>(tiles));
  });
  CHECK(ok);
}

TEST_CASE("splitting into nothing says so") {
  const std::string expected =
      "error B34: cannot split a box into 0 parts\n"
      "  box         [0,10)\n"
      "  try         ask for one part or more";
  CHECK(message_of([] { split({0, 10}, 0); }) == expected);
  CHECK(message_of([] { split_grid({0, 10}, {0, 2}); }) == expected);
  CHECK(message_of([] { tile_grid({0, 10}, 0); }) == expected);
}

TEST_CASE("a grain below one says on which axis") {
  const std::string expected =
      "error B35: the grain of a split must be at least 1 element\n"
      "  box         [0,4)x[0,6)\n"
      "  grain       0 elements on axis 1\n"
      "  try         leave the grain out, or give 1 where cuts may lie anywhere";
  CHECK(message_of([] { split(box({0, 0}, {4, 6}), 2, {1, 0}); }) == expected);
  CHECK(message_of([] { split_grid(box({0, 0}, {4, 6}), {2, 2}, {1, 0}); }) == expected);
  CHECK(message_of([] { split_tiles(box({0, 0}, {4, 6}), 2, {1, 0}); }) == expected);
}
