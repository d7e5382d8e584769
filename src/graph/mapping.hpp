// mapping.hpp - the elements of a buffer that a chunk of a task's range uses, and the inverse: the chunks that use an
// element.
//
// Threads     a value; custom functions run on the calling thread.
// Cost        built-in mappings: O(1) for a chunk, and for the chunks of an element, however many chunks there are. A
//             custom function has no inverse: it is called for every chunk, once for each shape of launch
//             (command_graph caches the results).
//
// A built-in mapping is up to three boxes. Along each axis of the buffer, each box is either constant or follows the
// chunk's interval along one axis of the range, widened and perhaps scaled. So the chunks that use an element form a
// box of chunk indices.
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

/// The interval that a chunk uses along one axis of the buffer.
struct axis_rule {
  enum class kind : std::uint8_t {
    same,     // [first, last) for every chunk
    follows,  /// the chunk's interval along `from`, widened by `below` and `above`
    scaled,   // the part of [first, last) in proportion to the chunk's interval in the range
  };
  kind is = kind::same;
  std::uint8_t from = 0;
  coordinate below = 0, above = 0, first = 0, last = 0;
  friend constexpr bool operator==(const axis_rule&, const axis_rule&) = default;
};
using box_rule = std::array<axis_rule, max_axes>;

using used_boxes = std::vector<box>;

/// A custom function of the program: from a chunk, the elements of the buffer and the range of the task to elements.
using mapping_function = std::function<region(const box& chunk, const box& elements, const box& range)>;

class mapping {
 public:
  /// Uses no elements.
  mapping() = default;
  // small_vector does not promise that moves are noexcept; with these rules they are.
  mapping(mapping&&) noexcept = default;
  mapping& operator=(mapping&&) noexcept = default;
  mapping(const mapping&) = default;
  mapping& operator=(const mapping&) = default;

  /// `elements` are those of the buffer: everything beyond is clipped.
  static mapping one_to_one(const box& elements);
  static mapping neighborhood(const box& elements, const point& border);
  /// Widened along the axes only: a cross, or a star.
  static mapping star(const box& elements, const point& border);
  /// Periodic: beyond a border it continues at the opposite side.
  static mapping wrapped(const box& elements, const point& border);
  static mapping slice(const box& elements, int axis);
  static mapping all(const box& elements);
  static mapping fixed(const box& elements, const box& always);
  /// Axis a of the buffer follows axis by[a] of the range.
  static mapping transposed(const box& elements, const std::array<std::uint8_t, max_axes>& by);
  /// Rows of the buffer in proportion to the chunk's part of the first axis of the range.
  static mapping even_split(const box& elements);
  static mapping custom(const box& elements, mapping_function f);
  /// For a function that ignores the range.
  template <class F>
    requires(std::is_invocable_v<F&, const box&, const box&>)
  static mapping custom(const box& elements, F f) {
    return custom(elements, mapping_function([f = std::move(f)](const box& chunk, const box& all, const box&) {
                    return region(f(chunk, all));
                  }));
  }

  bool is_custom() const noexcept { return static_cast<bool>(function_); }
  const box& elements() const noexcept { return elements_; }

  /// Appends the elements that the chunk uses, as boxes that may overlap. A custom mapping may name elements outside of
  /// the buffer.
  void used_by(const box& chunk, const box& range, used_boxes& out) const;
  /// Appends the elements that all chunks of the grid use together. Not for custom mappings.
  void used_by_all(const chunk_grid& grid, used_boxes& out) const { used_by(grid.range(), grid.range(), out); }

  /// Calls f(const box& part, const node_set& users) for parts of `where` that are used as a whole by `users`, nodes of
  /// the grid. Unused parts are omitted; with several rules an element may come more than once. Not for custom
  /// mappings.
  template <class F>
  void each_user(const box& where, const chunk_grid& grid, F f) const;

  /// True if the rules imply that no two chunks use the same element. Not for custom mappings.
  bool is_disjoint(const chunk_grid& grid) const;
  /// True if, in any range, no two items that differ along one of these axes use the same element.
  bool keeps_apart(const std::array<bool, max_axes>& along) const;

  friend bool operator==(const mapping& a, const mapping& b) {
    return a.elements_ == b.elements_ && a.rules_ == b.rules_ && a.function_ == b.function_;
  }

 private:
  explicit mapping(const box& elements) : elements_(elements) {}

  static void interval(const axis_rule& r, const box& chunk, const box& range, coordinate& min, coordinate& max);
  /// Indices of the chunks whose interval under this rule meets [min, max).
  static index_range users(const axis_rule& r, const chunk_grid& grid, coordinate min, coordinate max, coordinate row);
  /// For chunks in these rows of tiles, which have the cuts of the first of them.
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
    const bool by_row = grid.has_uneven_rows() && std::ranges::any_of(r, [](const axis_rule& a) {
                          return a.is != axis_rule::kind::same && a.from == 1;
                        });
    if (!by_row) each_user(r, inside, grid, {0, grid.parts(0)}, f);
    for (coordinate row = 0; by_row && row < grid.parts(0); ++row) each_user(r, inside, grid, {row, row + 1}, f);
  }
}

void mapping::each_user(const box_rule& rule, const box& where, const chunk_grid& grid, index_range rows, auto& f) {
  // The chunks that meet `where` along each axis of the range, and the axes along which their boxes differ.
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
  // One call covers all chunks whose boxes are equal.
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
