#include "graph/mapping.hpp"

#include <algorithm>

namespace stretto::graph {
namespace {

axis_rule same(coordinate first, coordinate last) { return {.first = first, .last = last}; }
axis_rule follows(int from, coordinate by = 0) {
  return {.is = axis_rule::kind::follows, .from = static_cast<std::uint8_t>(from), .below = by, .above = by};
}
box_rule one_to_one_rule() { return {follows(0), follows(1), follows(2)}; }

coordinate divide_down(__int128 a, coordinate b) { return static_cast<coordinate>(a / b - (a % b < 0)); }

}  // namespace

mapping mapping::one_to_one(const box& elements) { return neighborhood(elements, {}); }

mapping mapping::neighborhood(const box& elements, const point& border) {
  mapping m(elements);
  m.rules_.push_back({follows(0, border[0]), follows(1, border[1]), follows(2, border[2])});
  return m;
}

mapping mapping::star(const box& elements, const point& border) {
  mapping m(elements);
  for (int a = 0; a < max_axes; ++a) {
    if (border[a] == 0) continue;
    box_rule r = one_to_one_rule();
    r[static_cast<std::size_t>(a)] = follows(a, border[a]);
    m.rules_.push_back(r);
  }
  return m.rules_.empty() ? one_to_one(elements) : m;
}

mapping mapping::wrapped(const box& elements, const point& border) {
  mapping m(elements);
  // All combinations of inside, below and above along the axes that have a border.
  const auto add = [&](auto& self, box_rule r, int a) -> void {
    if (a == max_axes) return m.rules_.push_back(r);
    auto& rule = r[static_cast<std::size_t>(a)];
    rule = follows(a, border[a]);
    self(self, r, a + 1);
    if (border[a] == 0) return;
    const coordinate length = elements.length(a);
    for (const coordinate shift : {length, -length}) {
      rule.below = border[a] - shift;
      rule.above = border[a] + shift;
      self(self, r, a + 1);
    }
  };
  add(add, {}, 0);
  return m;
}

mapping mapping::slice(const box& elements, int axis) {
  mapping m = one_to_one(elements);
  for (int a = 0; a < max_axes; ++a)  // an axis that the buffer lacks is [0,1)
    if (a == axis || (elements.min()[a] == 0 && elements.max()[a] == 1))
      m.rules_[0][static_cast<std::size_t>(a)] = same(elements.min()[a], elements.max()[a]);
  return m;
}

mapping mapping::all(const box& elements) { return fixed(elements, elements); }

mapping mapping::fixed(const box& elements, const box& always) {
  mapping m(elements);
  if (always.is_empty()) return m;
  box_rule r;
  for (int a = 0; a < max_axes; ++a) r[static_cast<std::size_t>(a)] = same(always.min()[a], always.max()[a]);
  m.rules_.push_back(r);
  return m;
}

mapping mapping::transposed(const box& elements, const std::array<std::uint8_t, max_axes>& by) {
  mapping m(elements);
  m.rules_.push_back({follows(by[0]), follows(by[1]), follows(by[2])});
  return m;
}

mapping mapping::even_split(const box& elements) {
  mapping m = all(elements);
  if (!m.rules_.empty()) m.rules_[0][0].is = axis_rule::kind::scaled;
  return m;
}

mapping mapping::custom(const box& elements, mapping_function f) {
  mapping m(elements);
  m.function_ = std::make_shared<mapping_function>(std::move(f));
  return m;
}

void mapping::interval(const axis_rule& r, const box& chunk, const box& range, coordinate& min, coordinate& max) {
  const int a = r.from;
  switch (r.is) {
    case axis_rule::kind::same:
      min = r.first;
      max = r.last;
      return;
    case axis_rule::kind::follows:
      min = chunk.min()[a] - r.below;
      max = chunk.max()[a] + r.above;
      return;
    case axis_rule::kind::scaled: {
      const auto share = [&](coordinate at) {
        return r.first + divide_down(static_cast<__int128>(at - range.min()[a]) * (r.last - r.first), range.length(a));
      };
      min = share(chunk.min()[a]);
      max = share(chunk.max()[a]);
      return;
    }
  }
}

index_range mapping::users(const axis_rule& r, const chunk_grid& grid, coordinate min, coordinate max, coordinate row) {
  const int a = r.from;
  switch (r.is) {
    case axis_rule::kind::same: return {0, min < r.last && r.first < max ? 1 : 0};
    case axis_rule::kind::follows: return grid.meeting(a, min - r.above, max + r.below, row);
    case axis_rule::kind::scaled: {
      min = std::max(min, r.first);
      max = std::min(max, r.last);
      if (min >= max) return {};
      // Shares are monotonic in items: the first item whose share ends behind min, and the first whose share begins at
      // or behind max.
      const coordinate items = grid.range().length(a), elements = r.last - r.first, begin = grid.range().min()[a];
      const coordinate from = divide_down(static_cast<__int128>(min - r.first) * items, elements);
      const coordinate to = divide_down(static_cast<__int128>(max - r.first) * items + elements - 1, elements);
      return grid.meeting(a, begin + from, begin + std::max(to, from + 1), row);
    }
  }
  return {};
}

void mapping::used_by(const box& chunk, const box& range, used_boxes& out) const {
  if (chunk.is_empty()) return;
  if (function_) {
    const region used = (*function_)(chunk, elements_, range);
    out.insert(out.end(), used.boxes().begin(), used.boxes().end());
    return;
  }
  for (const box_rule& r : rules_) {
    point min, max;
    for (int b = 0; b < max_axes; ++b) interval(r[static_cast<std::size_t>(b)], chunk, range, min[b], max[b]);
    const box used = intersection(box::between(min, max), elements_);
    if (!used.is_empty()) out.push_back(used);
  }
}

bool mapping::is_disjoint(const chunk_grid& grid) const {
  if (rules_.empty() || grid.chunks() <= 1) return true;
  if (rules_.size() > 1) return false;
  for (int a = 0; a < max_axes; ++a) {
    if (grid.parts(a) <= 1) continue;
    const bool has_own = std::ranges::any_of(rules_[0], [&](const axis_rule& r) {
      return r.is != axis_rule::kind::same && r.from == a && r.below + r.above <= 0;
    });
    if (!has_own) return false;
  }
  return true;
}

bool mapping::keeps_apart(const std::array<bool, max_axes>& along) const {
  if (rules_.size() != 1) return !function_ && rules_.empty();
  for (int a = 0; a < max_axes; ++a) {
    const auto separates = [&](const axis_rule& r) {
      return r.is != axis_rule::kind::same && r.from == a && r.below + r.above <= 0;
    };
    if (along[static_cast<std::size_t>(a)] && std::ranges::none_of(rules_[0], separates)) return false;
  }
  return true;
}

}  // namespace stretto::graph
