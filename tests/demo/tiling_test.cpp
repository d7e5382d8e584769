#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "demo/wave/tiling.hpp"

using namespace stretto::wave;

namespace {

using cell = std::pair<int, int>;

tiling any_tiling() {
  const extent grid{*rc::gen::inRange(2, 60), *rc::gen::inRange(2, 60)};
  return cut(grid, *rc::gen::inRange(1, grid.columns / halo + 1), *rc::gen::inRange(1, grid.rows / halo + 1));
}

std::set<cell> cells_of(const rectangle& r) {
  std::set<cell> cells;
  for (int i = r.row; i < r.row_end; ++i)
    for (int j = r.column; j < r.column_end; ++j) cells.insert({i, j});
  return cells;
}

}  // namespace

TEST_CASE("tiles are disjoint, cover the grid, and their sides differ by at most one cell") {
  CHECK(rc::check([] {
    const auto t = any_tiling();
    std::set<cell> seen;
    std::set<int> heights, widths;
    for (const auto& tile : t.tiles) {
      for (const auto& c : cells_of(tile)) RC_ASSERT(seen.insert(c).second);
      heights.insert(tile.rows());
      widths.insert(tile.columns());
    }
    RC_ASSERT(seen == cells_of(whole(t.grid)));
    RC_ASSERT(*heights.rbegin() - *heights.begin() <= 1);
    RC_ASSERT(*widths.rbegin() - *widths.begin() <= 1);
    RC_ASSERT(*heights.begin() >= halo);
  }));
}

TEST_CASE("the copies into a tile are exactly the cells that its stencil reads from others, each once") {
  CHECK(rc::check([] {
    const auto t = any_tiling();
    std::map<int, std::set<cell>> brought;
    for (const auto& copy : halo_copies(t)) {
      RC_ASSERT(copy.from != copy.to);
      RC_ASSERT(!copy.cells.empty());
      const auto& from = t.tiles[std::size_t(copy.from)];
      for (const auto& c : cells_of(copy.cells)) {
        RC_ASSERT(from.contains(c.first, c.second));
        RC_ASSERT(brought[copy.to].insert(c).second);
      }
    }
    for (int i = 0; i < int(t.tiles.size()); ++i) {
      const auto& tile = t.tiles[std::size_t(i)];
      std::set<cell> needed;
      for (const auto& [r, c] : cells_of(tile))
        for (int k = -halo; k <= halo; ++k)
          for (const cell n : {cell{r + k, c}, cell{r, c + k}})
            if (whole(t.grid).contains(n.first, n.second) && !tile.contains(n.first, n.second)) needed.insert(n);
      RC_ASSERT(brought[i] == needed);
    }
  }));
}

TEST_CASE("an inner tile gets four strips and a lone one none") {
  const auto nine = halo_copies(cut({30, 60}, 3, 3));
  CHECK(nine.size() == 24);
  CHECK(std::count_if(nine.begin(), nine.end(), [](const halo_copy& c) { return c.to == 4; }) == 4);
  CHECK(std::find(nine.begin(), nine.end(), halo_copy{3, 4, {10, 20, 18, 20}}) != nine.end());
  CHECK(halo_copies(cut({30, 60}, 1, 1)).empty());
}

TEST_CASE("the tiling chosen for workers is over-decomposed where the grid is large enough, and always valid") {
  CHECK(rc::check([] {
    const extent grid{*rc::gen::inRange(5, 5000), *rc::gen::inRange(5, 5000)};
    const int workers = *rc::gen::inRange(1, 130);
    const auto t = choose_tiling(grid, workers);
    RC_ASSERT(t.across >= 1 && t.across <= std::max(1, grid.columns / halo));
    RC_ASSERT(t.down >= 1 && t.down <= std::max(1, grid.rows / halo));
    if (grid.cells() >= std::ptrdiff_t(workers) * 8 * 4096 && grid.rows >= 256 && grid.columns >= 256)
      RC_ASSERT(int(t.tiles.size()) >= 6 * workers);  // whole tiles round a little off
    for (const auto& tile : t.tiles) RC_ASSERT(tile.size().cells() <= 33 * 1024 + 2 * 512);
  }));
}

TEST_CASE("the shipped medium on two workers gets sixteen tiles") {
  const auto t = choose_tiling({600, 800}, 2);
  CHECK(t.across * t.down == 16);
}
