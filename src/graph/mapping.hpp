// mapping.hpp - which elements of a buffer a chunk of a task's range uses, and which chunks use some element: both ways, as values.
//
// Threads     a value; functions of the program's own are called by whoever asks.
// Cost        built-in ones: O(1) for a chunk, and for the chunks of an element, however many chunks there are. A function of the
//             program's own has no inverse: its chunks are all asked, once for each shape of launch (command_graph remembers them).
//
// A built-in mapping is up to three boxes, and each box is what it is along each axis of the buffer alone: the chunk's interval along one
// axis of the range, widened and perhaps scaled, or the same for every chunk. So whoever uses an element is a box of chunk indices.
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <stretto/box.hpp>

#include "geometry/region.hpp"
#include "graph/chunk_grid.hpp"

namespace stretto::graph {

/// What a chunk uses along one axis of the buffer.
struct axis_rule {
  enum class kind : std::uint8_t {
    same,    // [first, last) for every chunk
    follows, // the chunk's interval along `from`, `below` and `above` wider
    scaled,  // the share of [first, last) that the chunk's interval has of the range's
  };
  kind is = kind::same;
  std::uint8_t from = 0;
  coordinate below = 0, above = 0, first = 0, last = 0;
  friend constexpr bool operator==(const axis_rule&, const axis_rule&) = default;
};
using box_rule = std::array<axis_rule, max_axes>;

using used_boxes = std::vector<box>;

/// A function of the program's own: a chunk, the elements of the buffer, the range of the task; gives elements.
using mapping_function = std::function<region(const box& chunk, const box& elements, const box& range)>;

class mapping {
 public:
  /// Nothing.
  mapping() = default;
  // A small_vector does not promise that moving it throws nothing; of these rules it does not.
  mapping(mapping&&) noexcept = default;
  mapping& operator=(mapping&&) noexcept = default;
  mapping(const mapping&) = default;
  mapping& operator=(const mapping&) = default;

  /// The buffer's `elements` are what reaches beyond is cut off by.
  static mapping one_to_one(const box& elements);
  static mapping neighborhood(const box& elements, const point& border);
  /// Along the axes only: a cross, or a star.
  static mapping star(const box& elements, const point& border);
  /// Also what lies beyond the border, at the other side.
  static mapping wrapped(const box& elements, const point& border);
  static mapping slice(const box& elements, int axis);
  static mapping all(const box& elements);
  static mapping fixed(const box& elements, const box& always);
  /// Axis a of the buffer follows axis by[a] of the range.
  static mapping transposed(const box& elements, const std::array<std::uint8_t, max_axes>& by);
  /// Rows of the buffer in the proportion in which the chunk has the range's first axis.
  static mapping even_split(const box& elements);
  static mapping custom(const box& elements, mapping_function f);
  /// The same of one that does not look at the range.
  template <class F>
    requires(std::is_invocable_v<F&, const box&, const box&>)
  static mapping custom(const box& elements, F f) {
      return custom(elements, mapping_function([f = std::move(f)](const box& chunk, const box& all, const box&) {
                      return region(f(chunk, all));
                    }));
  }

  bool is_custom() const noexcept { return static_cast<bool>(function_); }
  const box& elements() const noexcept { return elements_; }

  /// What the chunk uses, as boxes that may overlap. For a custom one also what lies outside of the elements.
  void used_by(const box& chunk, const box& range, used_boxes& out) const;
  /// What all chunks of the grid use together, likewise. Not of a custom one.
  void used_by_all(const chunk_grid& grid, used_boxes& out) const { used_by(grid.range(), grid.range(), out); }

  /// Calls f(const box& part, const node_set& users) for parts of `where`, whose nodes of the grid use all of the part. Parts that
  /// nobody uses are left out; with several rules, the same element may come again. Not of a custom one.
  template <class F>
  void each_user(const box& where, const chunk_grid& grid, F f) const;

  /// Whether no two chunks use the same element, because of the rules alone. Not of a custom one.
  bool is_disjoint(const chunk_grid& grid) const;
  /// The same for two items that differ along one of these axes, in any range.
  bool keeps_apart(const std::array<bool, max_axes>& along) const;

  friend bool operator==(const mapping& a, const mapping& b) {
    return a.elements_ == b.elements_ && a.rules_ == b.rules_ && a.function_ == b.function_;
  }

 private:
  explicit mapping(const box& elements) : elements_(elements) {}

  static void interval(const axis_rule& r, const box& chunk, const box& range, coordinate& min, coordinate& max);
  /// Indices of chunks whose interval by this rule meets [min, max).
  static index_range users(const axis_rule& r, const chunk_grid& grid, coordinate min, coordinate max, coordinate row);
  /// Of chunks in these rows of tiles, which are cut as the first of them.
  static void each_user(const box_rule& rule, const box& where, const chunk_grid& grid, index_range rows, auto& f);

  box elements_;
  boost::container::small_vector<box_rule, 2> rules_;
  std::shared_ptr<mapping_function> function_;
};

template <class F>
void mapping::each_user(const box& where, const chunk_grid& grid, F f) const {
  const box inside = intersection(where, elements_);
  if (inside.is_empty() || grid.chunks() == 0) return;
  for (const box_rule& r : rules_) {
    const bool by_row = grid.has_uneven_rows() && std::ranges::any_of(r, [](const axis_rule& a) { return a.is != axis_rule::kind::same && a.from == 1; });
    if (!by_row) each_user(r, inside, grid, {0, grid.parts(0)}, f);
    for (coordinate row = 0; by_row && row < grid.parts(0); ++row) each_user(r, inside, grid, {row, row + 1}, f);
  }
}

void mapping::each_user(const box_rule& rule, const box& where, const chunk_grid& grid, index_range rows, auto& f) {
  // Which chunks meet it, along each axis of the range; and along which the boxes of chunks differ.
  index_range of[max_axes] = {rows};
  for (int a = 1; a < max_axes; ++a) of[a] = {0, grid.parts(a)};
  bool differ[max_axes] = {};
  for (int b = 0; b < max_axes; ++b) {
    const index_range r = users(rule[b], grid, where.min()[b], where.max()[b], rows.first);
    if (r.first >= r.last) return;
    if (rule[b].is == axis_rule::kind::same) continue;
    const int a = rule[b].from;
    of[a] = {std::max(of[a].first, r.first), std::min(of[a].last, r.last)};
    differ[a] = differ[a] || grid.parts(a) > 1;
  }
  for (int a = 0; a < max_axes; ++a)
    if (of[a].first >= of[a].last) return;
  // One call for all chunks that differ along no axis.
  index_range at[max_axes];
  for (int a = 0; a < max_axes; ++a) at[a] = differ[a] ? index_range{of[a].first, of[a].first + 1} : of[a];
  for (;;) {
    point min, max;
    for (int a = 0; a < max_axes; ++a) {
      coordinate ignored;
      grid.interval(a, at[a].first, min[a], ignored, rows.first);
      grid.interval(a, at[a].last - 1, ignored, max[a], rows.first);
    }
    const box chunk = box::between(min, max);
    point low, high;
    for (int b = 0; b < max_axes; ++b) interval(rule[b], chunk, grid.range(), low[b], high[b]);
    const box part = intersection(box::between(low, high), where);
    if (!part.is_empty()) f(part, grid.nodes(at));
    int a = max_axes - 1;
    for (; a >= 0; --a) {
      if (!differ[a]) continue;
      if (at[a].last < of[a].last) {
        at[a] = {at[a].last, at[a].last + 1};
        break;
      }
      at[a] = {of[a].first, of[a].first + 1};
    }
    if (a < 0) return;
  }
}

}  // namespace stretto::graph
