#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/chunk_grid.hpp"

using namespace stretto;
using graph::chunk_grid, graph::chunk_weights, graph::cut, graph::index_range, graph::node_number, graph::node_set;

namespace {

struct asked_grid {
  box range;
  node_number most;
  cut how;
  extent grain;
  chunk_weights weights;

  chunk_grid made() const { return {range, most, how, grain, weights}; }
  std::vector<box> expected() const {
    return how == cut::in_tiles ? split_tiles(range, most, grain) : split(range, most, grain);
  }
};

rc::Gen<asked_grid> any_asked_grid() {
  const auto at = rc::gen::inRange<coordinate>(-40, 40), grain = rc::gen::inRange<coordinate>(1, 9);
  const auto length =
      rc::gen::weightedOneOf<coordinate>({{1, rc::gen::just<coordinate>(1)}, {3, rc::gen::inRange<coordinate>(0, 50)}});
  return rc::gen::map(rc::gen::tuple(rc::gen::tuple(at, at, at), rc::gen::tuple(length, length, length),
                                     rc::gen::tuple(grain, grain, grain), rc::gen::inRange<node_number>(1, 70),
                                     rc::gen::element(cut::along_rows, cut::in_tiles)),
                      [](const auto& t) {
                        const auto& [min, size, grains, most, how] = t;
                        const auto [x, y, z] = min;
                        const auto [h, w, d] = size;
                        const auto [gx, gy, gz] = grains;
                        return asked_grid{box::sized({x, y, z}, {h, w, d}), most, how, {gx, gy, gz}, {}};
                      });
}

// A weight for each node, some of them thousands of times as large as others.
rc::Gen<std::vector<double>> any_weights(node_number most) {
  return rc::gen::container<std::vector<double>>(
      most, rc::gen::map(rc::gen::inRange(0, 50), [](int w) { return w < 5 ? 0.01 : w * 0.5; }));
}
rc::Gen<asked_grid> any_weighted_grid() {
  return rc::gen::mapcat(any_asked_grid(), [](const asked_grid& a) {
    return rc::gen::map(any_weights(a.most), [a](const std::vector<double>& w) {
      asked_grid with = a;
      with.weights = chunk_weights(w);
      return with;
    });
  });
}
rc::Gen<asked_grid> any_grid() { return rc::gen::oneOf(any_asked_grid(), any_weighted_grid()); }

std::vector<box> all_chunks(const chunk_grid& g) {
  std::vector<box> all;
  for (node_number n = 0; n < g.chunks(); ++n) all.push_back(g.chunk(n));
  return all;
}

}  // namespace

TEST_CASE("chunks are those of split and split_tiles, and none is empty") {
  const bool ok = rc::check([] {
    const asked_grid a = *any_asked_grid();
    const chunk_grid g = a.made();
    const auto chunks = all_chunks(g);
    RC_ASSERT(chunks == a.expected());
    RC_ASSERT(std::ranges::none_of(chunks, [](const box& b) { return b.is_empty(); }));
    RC_ASSERT(g.chunks() <= a.most);
    RC_ASSERT(g.range() == a.range);
    RC_ASSERT(g == a.made());
  });
  CHECK(ok);
}

TEST_CASE("a range that is as long as can be is cut as split cuts it") {
  constexpr coordinate far = coordinate{1} << 60;
  for (const box& range : {box(-far, far), box({-far, -3, 0}, {far, 4, 2}), box({0, -far}, {1, far})}) {
    CHECK(all_chunks(chunk_grid(range, 4'096, cut::along_rows)) == split(range, 4'096));
    CHECK(all_chunks(chunk_grid(range, 60, cut::in_tiles, {7, 3})) == split_tiles(range, 60, {7, 3}));
  }
  const chunk_grid g(box(-far, far), 4'096, cut::along_rows);
  for (const node_number n : {0u, 1u, 2'047u, 2'048u, 4'095u}) {
    const box c = g.chunk(n);
    CHECK(g.meeting(0, c.min()[0], c.max()[0]) == index_range{n, n + 1});
  }
}

TEST_CASE(
    "with weights chunks follow one another, have a cell at least, and of the other cells what their weights are to "
    "one another") {
  const bool ok = rc::check([] {
    const asked_grid a = *any_asked_grid();
    const std::vector<double> weights = *any_weights(a.most);
    const chunk_grid g(a.range, a.most, cut::along_rows, a.grain, chunk_weights(weights)),
        alike(a.range, a.most, cut::along_rows, a.grain);
    RC_ASSERT(g.chunks() == alike.chunks());
    if (g.chunks() == 0) return;
    int axis = 0;
    while (axis < max_axes - 1 && a.range.length(axis) == 1) ++axis;
    // The naive model: cells are counted, and shares are fractions.
    const auto cell = [&](coordinate at) { return at / a.grain[axis] - (at % a.grain[axis] < 0); };
    const coordinate cells = cell(a.range.max()[axis] - 1) + 1 - cell(a.range.min()[axis]);
    double all = 0, before = 0;
    for (node_number n = 0; n < g.chunks(); ++n) all += weights[n];
    coordinate behind = a.range.min()[axis];
    for (node_number n = 0; n < g.chunks(); ++n) {
      const box c = g.chunk(n);
      RC_ASSERT(!c.is_empty());
      RC_ASSERT(c.min()[axis] == behind);
      behind = c.max()[axis];
      for (int other = 0; other < max_axes; ++other)
        if (other != axis)
          RC_ASSERT((c.min()[other] == a.range.min()[other] && c.max()[other] == a.range.max()[other]));
      if (n > 0) RC_ASSERT(c.min()[axis] % a.grain[axis] == 0);
      if (n > 0) {
        const double due = n + (static_cast<double>(cells) - g.chunks()) * before / all;
        RC_ASSERT(std::abs(static_cast<double>(cell(c.min()[axis]) - cell(a.range.min()[axis])) - due) <= 0.51);
      }
      before += weights[n];
    }
    RC_ASSERT(behind == a.range.max()[axis]);
  });
  CHECK(ok);
}

TEST_CASE("with weights a row of tiles is as high as its tiles weigh together, and each is cut by its own") {
  const bool ok = rc::check([] {
    asked_grid a = *any_asked_grid();
    a.how = cut::in_tiles;
    const std::vector<double> weights = *any_weights(a.most);
    const chunk_grid g(a.range, a.most, cut::in_tiles, a.grain, chunk_weights(weights)),
        alike(a.range, a.most, cut::in_tiles, a.grain);
    RC_ASSERT(g.chunks() == alike.chunks());
    if (g.chunks() == 0) return;
    // The naive model: cells are counted, and shares are fractions.
    const auto cell = [&](int axis, coordinate at) { return at / a.grain[axis] - (at % a.grain[axis] < 0); };
    const auto cells = [&](int axis) {
      return static_cast<double>(cell(axis, a.range.max()[axis] - 1) + 1 - cell(axis, a.range.min()[axis]));
    };
    const auto sum = [&](coordinate first, coordinate last) {
      double all = 0;
      for (coordinate n = first; n < last; ++n) all += weights[static_cast<std::size_t>(n)];
      return all;
    };
    const coordinate rows = g.parts(0), columns = g.parts(1);
    const auto is_due = [&](int axis, coordinate at, coordinate index, coordinate of, double share) {
      const double due = static_cast<double>(index) + (cells(axis) - static_cast<double>(of)) * share;
      return std::abs(static_cast<double>(cell(axis, at) - cell(axis, a.range.min()[axis])) - due) <= 0.51;
    };
    for (coordinate i = 0; i < rows; ++i)
      for (coordinate j = 0; j < columns; ++j) {
        const box c = g.chunk(static_cast<node_number>(i * columns + j));
        RC_ASSERT(!c.is_empty());
        RC_ASSERT(c.min()[0] ==
                  (i == 0 ? a.range.min()[0] : g.chunk(static_cast<node_number>((i - 1) * columns)).max()[0]));
        RC_ASSERT(c.min()[1] ==
                  (j == 0 ? a.range.min()[1] : g.chunk(static_cast<node_number>(i * columns + j - 1)).max()[1]));
        if (i + 1 == rows) RC_ASSERT(c.max()[0] == a.range.max()[0]);
        if (j + 1 == columns) RC_ASSERT(c.max()[1] == a.range.max()[1]);
        if (i > 0) RC_ASSERT(is_due(0, c.min()[0], i, rows, sum(0, i * columns) / sum(0, rows * columns)));
        if (j > 0)
          RC_ASSERT(is_due(1, c.min()[1], j, columns,
                           sum(i * columns, i * columns + j) / sum(i * columns, (i + 1) * columns)));
      }
  });
  CHECK(ok);
}

TEST_CASE("weights count for rows and for tiles, and grids of other weights are others") {
  const box range({0, 0}, {102, 100});
  const chunk_weights w(std::vector<double>{1, 3}), more(std::vector<double>{1, 4});
  const chunk_grid rows(range, 2, cut::along_rows, unit, w);
  CHECK(rows.chunk(0) == box({0, 0}, {26, 100}));  // a row each, and a quarter of the other 100
  CHECK(rows.chunk(1) == box({26, 0}, {102, 100}));
  CHECK(rows == chunk_grid(range, 2, cut::along_rows, unit, chunk_weights(std::vector<double>{2, 6})));
  CHECK(!(rows == chunk_grid(range, 2, cut::along_rows, unit, more)));
  CHECK(!(rows == chunk_grid(range, 2, cut::along_rows)));
  // The last of four gets three times as much: half of all, in a row of tiles that has two thirds.
  const chunk_grid tiles(box({0, 0}, {1'202, 1'202}), 4, cut::in_tiles, unit,
                         chunk_weights(std::vector<double>{1, 1, 1, 3}));
  CHECK(tiles.chunk(0) == box({0, 0}, {401, 601}));
  CHECK(tiles.chunk(1) == box({0, 601}, {401, 1'202}));
  CHECK(tiles.chunk(2) == box({401, 0}, {1'202, 301}));
  CHECK(tiles.chunk(3) == box({401, 301}, {1'202, 1'202}));
  CHECK(tiles.has_uneven_rows());
  CHECK_FALSE(rows.has_uneven_rows());
  CHECK_FALSE(chunk_grid(range, 2, cut::in_tiles, unit, w).has_uneven_rows());
  CHECK(chunk_grid(box(0, 2), 2, cut::along_rows, unit, more).chunk(0) == box(0, 1));
  CHECK(chunk_grid(box(0, 10), 1, cut::along_rows, unit, chunk_weights(std::vector<double>{1})) ==
        chunk_grid(box(0, 10), 1, cut::along_rows));
}

TEST_CASE("weighted chunks of a range that is as long as can be, on thousands of nodes") {
  constexpr coordinate far = coordinate{1} << 60;
  std::vector<double> weights;
  for (int n = 0; n < 4'096; ++n) weights.push_back(1 + n % 7);
  const chunk_grid g(box(-far, far), 4'096, cut::along_rows, unit, chunk_weights(weights));
  coordinate behind = -far;
  for (node_number n = 0; n < 4'096; ++n) {
    const box c = g.chunk(n);
    REQUIRE(c.min()[0] == behind);
    behind = c.max()[0];
    REQUIRE(g.meeting(0, c.min()[0], c.max()[0]) == index_range{n, n + 1});
    REQUIRE(std::abs(static_cast<double>(c.length(0)) / static_cast<double>(g.chunk(0).length(0)) - weights[n]) < 1e-3);
  }
  CHECK(behind == far);
}

TEST_CASE("weights are repeated for the pieces of each chunk, and known as shares") {
  const chunk_weights w(std::vector<double>{1, 3});
  CHECK(w.repeated(2) == chunk_weights(std::vector<double>{1, 1, 3, 3}));
  CHECK(w.repeated(1) == w);
  CHECK(chunk_weights().repeated(3).are_none());
  CHECK(w.size() == 2);
  CHECK(chunk_weights().size() == 0);
  CHECK(std::abs(w.shares()[1] - 0.75) < 1e-5);
  CHECK(chunk_weights(std::vector<double>{1e-30, 1}).of_first(1) == 1);
}

TEST_CASE("there are no more chunks than items, and none for no node") {
  CHECK(chunk_grid(box(0, 3), 100, cut::along_rows).chunks() == 3);
  CHECK(chunk_grid(box(-1, 9), 100, cut::along_rows, {4}).chunks() == 4);
  CHECK(chunk_grid(box({0, 0}, {2, 3}), 100, cut::in_tiles).chunks() == 6);
  CHECK(chunk_grid(box({5, 0}, {6, 7}), 3, cut::along_rows).parts(1) == 3);  // one row is cut by columns
  CHECK(chunk_grid(box(5, 6), 3, cut::along_rows).chunks() == 1);
  CHECK(chunk_grid(box(), 3, cut::along_rows).chunks() == 0);
  CHECK(chunk_grid(box(), 3, cut::in_tiles).chunks() == 0);
  CHECK(chunk_grid(box(0, 3), 0, cut::along_rows).chunks() == 0);
  CHECK(chunk_grid().chunks() == 0);
}

TEST_CASE("the chunks that meet an interval are found as if all were asked") {
  const bool ok = rc::check([] {
    const asked_grid a = *any_grid();
    const chunk_grid g = a.made();
    const coordinate min = *rc::gen::inRange<coordinate>(-60, 100), max = min + *rc::gen::inRange<coordinate>(-2, 60);
    const coordinate row = g.chunks() == 0 ? 0 : *rc::gen::inRange<coordinate>(0, g.parts(0));
    for (int axis = 0; axis < max_axes; ++axis) {
      std::vector<coordinate> met;
      for (coordinate i = 0; i < g.parts(axis); ++i) {
        coordinate from, to;
        g.interval(axis, i, from, to, row);
        RC_ASSERT(from < to);
        if (min < max && from < max && min < to) met.push_back(i);
      }
      const index_range found = g.meeting(axis, min, max, row);
      if (met.empty()) RC_ASSERT(found.first >= found.last);
      else RC_ASSERT((found == index_range{met.front(), met.back() + 1}));
    }
  });
  CHECK(ok);
}

TEST_CASE("the nodes of a box of chunks are those of its chunks") {
  const bool ok = rc::check([] {
    const asked_grid a = *any_grid();
    const chunk_grid g = a.made();
    if (g.chunks() == 0) return;
    index_range of[max_axes];
    for (int axis = 0; axis < max_axes; ++axis) {
      const coordinate i = *rc::gen::inRange<coordinate>(0, g.parts(axis)),
                       j = *rc::gen::inRange<coordinate>(0, g.parts(axis));
      const bool whole = *rc::gen::arbitrary<bool>();
      of[axis] = whole ? index_range{0, g.parts(axis)} : index_range{std::min(i, j), std::max(i, j) + 1};
    }
    // other rows have other cuts
    if (g.has_uneven_rows() && of[1] != index_range{0, g.parts(1)}) of[0].last = of[0].first + 1;
    point min, max;
    for (int axis = 0; axis < max_axes; ++axis) {
      coordinate ignored;
      g.interval(axis, of[axis].first, min[axis], ignored, of[0].first);
      g.interval(axis, of[axis].last - 1, ignored, max[axis], of[0].first);
    }
    const box together = box::between(min, max);
    const node_set found = g.nodes(of);
    node_set expected;
    for (node_number n = 0; n < g.chunks(); ++n)
      if (together.contains(g.chunk(n))) expected |= node_set(n, n + 1);
    RC_ASSERT(found == expected);
  });
  CHECK(ok);
}
