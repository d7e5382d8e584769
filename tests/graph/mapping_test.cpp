#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "graph/mapping.hpp"

using namespace stretto;
using graph::chunk_grid, graph::cut, graph::mapping, graph::node_number, graph::node_set, graph::used_boxes;

namespace {

using axes_by = std::array<std::uint8_t, max_axes>;

// A mapping, and a predicate for one item and one element.
struct defined_mapping {
  std::string name;
  mapping map;
  // none: does not depend on items
  std::function<bool(const point& item, const point& element, const box& range)> uses;
};

bool all_axes(auto f) { return f(0) && f(1) && f(2); }

defined_mapping defined_by(int kind, const box& elements, const point& border, int axis, const box& always,
                           const axes_by& by) {
  const auto near = [border](const point& i, const point& e, int a) { return std::abs(i[a] - e[a]) <= border[a]; };
  switch (kind) {
    case 0: return {"one_to_one", mapping::one_to_one(elements), [](auto& i, auto& e, auto&) { return i == e; }};
    case 1:
      return {"neighborhood", mapping::neighborhood(elements, border),
              [=](auto& i, auto& e, auto&) { return all_axes([&](int a) { return near(i, e, a); }); }};
    case 2:
      return {"star", mapping::star(elements, border), [=](auto& i, auto& e, auto&) {
                int differ = 0;
                for (int a = 0; a < max_axes; ++a) differ += i[a] != e[a];
                return differ <= 1 && all_axes([&](int a) { return near(i, e, a); });
              }};
    case 3:
      return {"wrapped", mapping::wrapped(elements, border), [=](auto& i, auto& e, auto&) {
                return all_axes([&](int a) {
                  const coordinate n = border[a] == 0 ? 0 : elements.length(a), away = i[a] - e[a];
                  return std::min({std::abs(away), std::abs(away - n), std::abs(away + n)}) <= border[a];
                });
              }};
    case 4:
      return {"slice", mapping::slice(elements, axis),
              [=](auto& i, auto& e, auto&) { return all_axes([&](int a) { return a == axis || i[a] == e[a]; }); }};
    case 5: return {"all", mapping::all(elements), [](auto&, auto&, auto&) { return true; }};
    case 6:
      return {"fixed", mapping::fixed(elements, always), [=](auto&, auto& e, auto&) { return always.contains(e); }};
    case 7: {
      axes_by sorted = by;
      std::ranges::sort(sorted);
      defined_mapping m{"transposed", mapping::transposed(elements, by), {}};
      if (sorted == axes_by{0, 1, 2})
        m.uses = [=](auto& i, auto& e, auto&) {
          return all_axes([&](int a) { return e[a] == i[by[static_cast<std::size_t>(a)]]; });
        };
      return m;
    }
    default:
      return {"even_split", mapping::even_split(elements), [=](auto& i, auto& e, auto& range) {
                const coordinate items = range.length(0), rows = elements.length(0), n = i[0] - range.min()[0];
                const coordinate row = e[0] - elements.min()[0];
                return n * rows / items <= row && row < (n + 1) * rows / items;
              }};
  }
}

constexpr int kinds = 9;

// A box of one to three axes, up to `most` long; empty in 1 to 2 of 10 cases.
rc::Gen<box> box_up_to(coordinate most) {
  const auto at = rc::gen::inRange<coordinate>(-4, 4), length = rc::gen::inRange<coordinate>(0, most + 1);
  return rc::gen::map(
      rc::gen::tuple(rc::gen::inRange(1, 4), rc::gen::tuple(at, at, at), rc::gen::tuple(length, length, length)),
      [](const auto& t) {
        const auto& [axes, min, size] = t;
        const auto [x, y, z] = min;
        const auto [h, w, d] = size;
        point from(x, axes > 1 ? y : 0, axes > 2 ? z : 0);
        extent lengths(std::max<coordinate>(h, 1), axes > 1 ? w : 1, axes > 2 ? d : 1);
        return box::sized(from, lengths);
      });
}

rc::Gen<axes_by> any_order_of_axes() {
  return rc::gen::element(axes_by{1, 0, 2}, axes_by{2, 1, 0}, axes_by{1, 2, 0}, axes_by{0, 2, 1});
}

rc::Gen<defined_mapping> any_mapping(const box& range) {
  const auto border = rc::gen::inRange<coordinate>(0, 3);
  const auto axis = rc::gen::inRange<std::uint8_t>(0, max_axes);
  // In half of the cases the buffer has the shape of the range. Several axes of the buffer may follow the same axis of
  // the range.
  const auto elements = rc::gen::oneOf(rc::gen::just(range), box_up_to(7));
  const auto any_axes = rc::gen::map(rc::gen::tuple(axis, axis, axis), [](const auto& t) {
    const auto [a, b, c] = t;
    return axes_by{a, b, c};
  });
  return rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, kinds), elements, rc::gen::tuple(border, border, border), axis,
                                     box_up_to(7), rc::gen::oneOf(any_axes, any_order_of_axes())),
                      [](const auto& t) {
                        const auto& [kind, all, borders, a, always, by] = t;
                        const auto [b0, b1, b2] = borders;
                        return defined_by(kind, all, {b0, b1, b2}, a, always, by);
                      });
}

chunk_grid any_grid_of(const box& range) {
  const auto grain = rc::gen::weightedElement<coordinate>({{3, 1}, {1, 2}, {1, 3}});
  const auto most = *rc::gen::inRange<node_number>(1, 14);
  graph::chunk_weights weights;
  if (*rc::gen::inRange(0, 3) == 0)
    weights = graph::chunk_weights(
        *rc::gen::container<std::vector<double>>(most, rc::gen::element(0.001, 0.5, 1.0, 2.0, 7.0)));
  return {range, most, *rc::gen::element(cut::along_rows, cut::in_tiles), {*grain, *grain, *grain}, weights};
}

region united(const used_boxes& boxes) { return region(std::span(boxes.data(), boxes.size())); }

region used(const mapping& m, const box& chunk, const box& range) {
  used_boxes boxes;
  m.used_by(chunk, range, boxes);
  return united(boxes);
}

bool are_disjoint(const mapping& m, const chunk_grid& g) {
  region before;
  for (node_number n = 0; n < g.chunks(); ++n) {
    const region own = used(m, g.chunk(n), g.range());
    if (before.meets(own)) return false;
    before |= own;
  }
  return true;
}

void each_point_of(const box& b, auto f) {
  for (auto x = b.min()[0]; x < b.max()[0]; ++x)
    for (auto y = b.min()[1]; y < b.max()[1]; ++y)
      for (auto z = b.min()[2]; z < b.max()[2]; ++z) f(point(x, y, z));
}

}  // namespace

TEST_CASE("a chunk uses the union of the uses of its items") {
  const bool ok = rc::check([] {
    const box range = *box_up_to(5);
    const defined_mapping m = *any_mapping(range);
    if (!m.uses) return;
    const box chunk = intersection(*rc::gen::oneOf(box_up_to(5), rc::gen::just(range)), range);
    RC_LOG(m.name + " of " + m.map.elements().text() + ", chunk " + chunk.text() + " of " + range.text());
    const region found = used(m.map, chunk, range);
    std::uint64_t volume = 0;
    each_point_of(m.map.elements(), [&](const point& e) {
      bool expected = false;
      each_point_of(chunk, [&](const point& i) { expected = expected || m.uses(i, e, range); });
      RC_ASSERT(found.contains(e) == expected);
      volume += expected;
    });
    RC_ASSERT(found.volume() == volume);  // no element outside of the buffer
  });
  CHECK(ok);
}

TEST_CASE("the users of elements are found as if every chunk were asked") {
  const bool ok = rc::check([] {
    const box range = *box_up_to(7);
    const chunk_grid g = any_grid_of(range);
    const defined_mapping m = *any_mapping(range);
    const box where = *rc::gen::oneOf(box_up_to(7), rc::gen::just(m.map.elements()));
    RC_LOG(m.name + " of " + m.map.elements().text() + ", range " + range.text() + ", where " + where.text());
    std::vector<region> expected(g.chunks()), found(g.chunks());
    for (node_number n = 0; n < g.chunks(); ++n) expected[n] = used(m.map, g.chunk(n), range) & region(where);
    m.map.each_user(where, g, [&](const box& part, const node_set& users) {
      RC_ASSERT(!part.is_empty());
      RC_ASSERT(where.contains(part));
      RC_ASSERT(!users.is_empty());
      for (const auto& i : users.intervals()) {
        RC_ASSERT(i.last <= g.chunks());
        for (node_number n = i.first; n < i.last; ++n) {
          RC_ASSERT(expected[n].contains(region(part)));
          found[n] |= region(part);
        }
      }
    });
    RC_ASSERT(found == expected);
  });
  CHECK(ok);
}

TEST_CASE("all chunks together use what the whole range uses") {
  const bool ok = rc::check([] {
    const box range = *box_up_to(7);
    const chunk_grid g = any_grid_of(range);
    const defined_mapping m = *any_mapping(range);
    if (!m.uses) return;
    used_boxes boxes;
    m.map.used_by_all(g, boxes);
    region together;
    for (node_number n = 0; n < g.chunks(); ++n) together |= used(m.map, g.chunk(n), range);
    RC_ASSERT(united(boxes) == together);
  });
  CHECK(ok);
}

TEST_CASE("mappings that are called disjoint are") {
  const bool ok = rc::check([] {
    const box range = *box_up_to(7);
    const chunk_grid g = any_grid_of(range);
    const defined_mapping m = *any_mapping(range);
    RC_CLASSIFY(m.map.is_disjoint(g) && g.chunks() > 1);
    if (m.map.is_disjoint(g)) RC_ASSERT(are_disjoint(m.map, g));
  });
  CHECK(ok);
}

TEST_CASE("mappings of a buffer that is as the range are called disjoint exactly if they are") {
  const bool ok = rc::check([] {
    const box range = *box_up_to(7);
    const chunk_grid g = any_grid_of(range);
    const axes_by by = *any_order_of_axes();
    point min, max;
    for (int a = 0; a < max_axes; ++a)
      min[a] = range.min()[by[static_cast<std::size_t>(a)]], max[a] = range.max()[by[static_cast<std::size_t>(a)]];
    std::vector<mapping> all = {
        mapping::one_to_one(range),   mapping::all(range),          mapping::transposed(box::between(min, max), by),
        mapping::fixed(range, range), mapping::fixed(range, box()), mapping()};
    for (int a = 0; a < max_axes; ++a) {
      point border;
      border[a] = 2;
      all.push_back(mapping::slice(range, a));
      all.push_back(mapping::neighborhood(range, border));
      all.push_back(mapping::star(range, border));
    }
    for (const mapping& m : all) RC_ASSERT(m.is_disjoint(g) == are_disjoint(m, g));
    RC_ASSERT(mapping::one_to_one(range).is_disjoint(g));
    RC_ASSERT(all[2].is_disjoint(g));
    RC_ASSERT(mapping::even_split(box({0, 0}, {1'000, 3})).is_disjoint(g) == (g.parts(1) <= 1 && g.parts(2) <= 1));
  });
  CHECK(ok);
}

TEST_CASE("shares of rows are even over thousands of nodes, and found in both directions") {
  constexpr coordinate far = coordinate{1} << 60;
  const box range(-far, far), elements({-far, 0}, {far - 12'345, 2});
  const chunk_grid g(range, 4'096, cut::along_rows);
  const mapping m = mapping::even_split(elements);
  coordinate behind = elements.min()[0];
  for (node_number n = 0; n < g.chunks(); ++n) {
    const region own = used(m, g.chunk(n), range);
    REQUIRE(own.boxes().size() == 1);
    REQUIRE(own.bounds().min()[0] == behind);
    behind = own.bounds().max()[0];
    int calls = 0;
    m.each_user(own.bounds(), g, [&](const box& part, const node_set& users) {
      calls += part == own.bounds() && users == node_set(n, n + 1) ? 1 : 100;
    });
    REQUIRE(calls == 1);
  }
  CHECK(behind == elements.max()[0]);
}

TEST_CASE("the union of the uses of all chunks takes one call, however many there are") {
  const chunk_grid g(box({0, 0}, {4'096, 4'096}), 4'096, cut::in_tiles);
  int calls = 0;
  mapping::all(box(0, 10)).each_user(box(2, 5), g, [&](const box& part, const node_set& users) {
    ++calls;
    CHECK(part == box(2, 5));
    CHECK(users == node_set(0, 4'096));
  });
  CHECK(calls == 1);
  // Tiles of 64 x 64: a whole row of tiles uses one row of the buffer.
  calls = 0;
  mapping::slice(g.range(), 1).each_user(box({64, 0}, {65, 4'096}), g, [&](const box& part, const node_set& users) {
    ++calls;
    CHECK(part == box({64, 0}, {65, 4'096}));
    CHECK(users == node_set(64, 128));
  });
  CHECK(calls == 1);
}

TEST_CASE("a mapping of the program's own is asked for each chunk") {
  const box elements(0, 10), range(0, 4);
  const mapping m = mapping::custom(elements, [](const box& chunk, const box& all) {
    return region{box(chunk.min()[0], chunk.max()[0]), box(all.max()[0] - 1, all.max()[0] + 1)};
  });
  CHECK(m.is_custom());
  CHECK(!mapping::all(elements).is_custom());
  CHECK(used(m, box(1, 3), range) == region{box(1, 3), box(9, 11)});
  CHECK(used(m, box(), range).is_empty());
  const mapping same = m;
  CHECK(same == m);
  CHECK(mapping::star(elements, {0, 0}) == mapping::one_to_one(elements));
  CHECK(!(mapping::slice(elements, 0) == mapping::one_to_one(elements)));
}
