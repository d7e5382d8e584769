// box.hpp - half-open index boxes of one to three dimensions, and functions that split them.
//
// Threads     values: no shared state.
// Cost        every operation on a box is a handful of instructions and allocates nothing.
// Invariants  (1) there is one empty box; so two boxes are equal exactly if they hold the same points.
//             (2) every box has three axes: a missing axis is [0,1).
//
// Axis 0 is the slowest: the row of an image stored row by row. Coordinates lie within +-2^61, so that lengths and
// sums of two coordinates cannot overflow.
//
//     std::uint64_t pixels_of_upper_tiles() {
//       const box image({0, 0}, {1080, 1920});  // 1080 rows, 1920 columns
//       std::uint64_t pixels = 0;
//       for (const box& tile : split_tiles(image, 8))  // 2 x 4 tiles of 540 x 480 pixels
//         if (tile.min()[0] == 0) pixels += tile.volume();
//       const box halo = intersection(box({0, 0}, {540, 480}).widened({1, 1}), image);
//       return pixels + (halo.contains(point(540, 480)) ? 1 : 0);
//     }
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <stretto/error.hpp>

STRETTO_API_BEGIN

namespace stretto {

/// The most axes that a box, a point or an extent has.
inline constexpr int max_axes = 3;

/// An index along one axis.
using coordinate = std::int64_t;

/// A position in index space, or a distance. Axes that are not given are 0.
struct point {
  coordinate at[max_axes] = {0, 0, 0};  // by axis

  constexpr point() = default;
  /// One coordinate per axis, axis 0 first.
  template <std::integral... C>
    requires(sizeof...(C) >= 1 && sizeof...(C) <= max_axes)
  constexpr point(C... c) : at{static_cast<coordinate>(c)...} {}

  /// The coordinate along an axis.
  constexpr coordinate operator[](int axis) const { return at[axis]; }
  constexpr coordinate& operator[](int axis) { return at[axis]; }

  /// Lexicographic: the order in which elements lie in memory.
  friend constexpr auto operator<=>(const point&, const point&) = default;
  /// Adds coordinate by coordinate.
  friend constexpr point operator+(point a, const point& b) {
    for (int i = 0; i < max_axes; ++i) a[i] += b[i];
    return a;
  }
  /// Subtracts coordinate by coordinate.
  friend constexpr point operator-(point a, const point& b) {
    for (int i = 0; i < max_axes; ++i) a[i] -= b[i];
    return a;
  }
};

/// Lengths along the axes. Axes that are not given are 1.
struct extent {
  coordinate length[max_axes] = {1, 1, 1};  // by axis, in elements

  constexpr extent() = default;
  /// One length per axis, axis 0 first.
  template <std::integral... C>
    requires(sizeof...(C) >= 1 && sizeof...(C) <= max_axes)
  constexpr extent(C... c) {
    int axis = 0;
    ((length[axis++] = static_cast<coordinate>(c)), ...);
  }

  /// The length along an axis.
  constexpr coordinate operator[](int axis) const { return length[axis]; }
  constexpr coordinate& operator[](int axis) { return length[axis]; }
  friend constexpr bool operator==(const extent&, const extent&) = default;
};

/// The extent of a single element.
inline constexpr extent unit{};

/// The set of points p with min <= p < max on every axis. Three pairs of coordinates, passed by value.
class box {
 public:
  /// The empty box.
  constexpr box() : min_(), max_() {}
  /// One axis: [min, max).
  template <std::integral A, std::integral B>
  constexpr box(A min, B max) : box(between(point(min), point(max, 1, 1))) {}
  /// Two or three axes: box({0, 0}, {1080, 1920}).
  template <std::size_t Axes>
    requires(Axes >= 1 && Axes <= max_axes)
  constexpr box(const coordinate (&min)[Axes], const coordinate (&max)[Axes]) : min_(), max_(1, 1, 1) {
    for (std::size_t i = 0; i < Axes; ++i) min_.at[i] = min[i], max_.at[i] = max[i];
    settle();
  }
  /// A box that begins at the origin.
  constexpr explicit box(const extent& size) : box(sized({}, size)) {}

  /// [min, max) with all three axes given.
  static constexpr box between(const point& min, const point& max) {
    box b;
    b.min_ = min;
    b.max_ = max;
    b.settle();
    return b;
  }
  /// The box of that size that begins at `min`.
  static constexpr box sized(const point& min, const extent& size) {
    return between(min, min + point(size[0], size[1], size[2]));
  }

  /// The least coordinates.
  constexpr const point& min() const { return min_; }
  /// One past the last coordinate along each axis.
  constexpr const point& max() const { return max_; }
  /// The length along an axis.
  constexpr coordinate length(int axis) const { return max_[axis] - min_[axis]; }
  /// The lengths along all axes.
  constexpr extent size() const { return {length(0), length(1), length(2)}; }

  /// Whether it has no elements.
  constexpr bool is_empty() const { return min_[0] == max_[0]; }

  /// The number of elements; the largest std::uint64_t if there are more.
  constexpr std::uint64_t volume() const {
    std::uint64_t v = 1;
    for (int i = 0; i < max_axes; ++i) {
      const auto n = static_cast<std::uint64_t>(length(i));
      if ((n | v) >> 32 != 0 && n != 0 && v > UINT64_MAX / n) return is_empty() ? 0 : UINT64_MAX;
      v *= n;
    }
    return v;
  }

  /// Whether the point lies in the box.
  constexpr bool contains(const point& p) const {
    for (int i = 0; i < max_axes; ++i)
      if (p[i] < min_[i] || p[i] >= max_[i]) return false;
    return true;
  }
  /// Whether all points of `b` lie in the box: true for the empty box.
  constexpr bool contains(const box& b) const {
    if (b.is_empty()) return true;
    for (int i = 0; i < max_axes; ++i)
      if (b.min_[i] < min_[i] || b.max_[i] > max_[i]) return false;
    return true;
  }
  /// Whether both have an element in common.
  constexpr bool meets(const box& b) const {
    if (is_empty() || b.is_empty()) return false;
    for (int i = 0; i < max_axes; ++i)
      if (b.max_[i] <= min_[i] || max_[i] <= b.min_[i]) return false;
    return true;
  }

  /// The box moved by these coordinates.
  constexpr box shifted(const point& by) const { return is_empty() ? box() : between(min_ + by, max_ + by); }
  /// Wider by `by` elements on both sides of every axis, or narrower if negative.
  constexpr box widened(const point& by) const { return is_empty() ? box() : between(min_ - by, max_ + by); }

  /// The box as text: "empty", "[0,4)", "[0,4)x[2,8)". Trailing axes that are [0,1) are left out. Throws std::bad_alloc
  /// only.
  std::string text() const;

  friend constexpr bool operator==(const box&, const box&) = default;
  /// By min, then max: lexicographic.
  friend constexpr auto operator<=>(const box&, const box&) = default;

 private:
  constexpr void settle() {
    for (int i = 0; i < max_axes; ++i)
      if (max_[i] <= min_[i]) {
        min_ = point();
        max_ = point();
        return;
      }
  }

  point min_, max_;
};

/// The points that lie in both boxes.
constexpr box intersection(const box& a, const box& b) {
  point min, max;
  for (int i = 0; i < max_axes; ++i) {
    min[i] = a.min()[i] > b.min()[i] ? a.min()[i] : b.min()[i];
    max[i] = a.max()[i] < b.max()[i] ? a.max()[i] : b.max()[i];
  }
  return box::between(min, max);
}

/// The smallest box that contains both.
constexpr box hull(const box& a, const box& b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  point min, max;
  for (int i = 0; i < max_axes; ++i) {
    min[i] = a.min()[i] < b.min()[i] ? a.min()[i] : b.min()[i];
    max[i] = a.max()[i] > b.max()[i] ? a.max()[i] : b.max()[i];
  }
  return box::between(min, max);
}

/// Appends to `out` the points of `a` that are not in `b`, as at most six disjoint boxes. Throws std::bad_alloc only.
void difference(const box& a, const box& b, std::vector<box>& out);

/// Writes the text of a point or a box to a stream. Throws what the stream throws.
std::ostream& operator<<(std::ostream& to, const point& p);
std::ostream& operator<<(std::ostream& to, const box& b);

/// The error that split, split_grid and tile_grid throw for invalid arguments: codes B34 and B35.
class split_error : public error {
 public:
  using error::error;
};

/// Cuts `domain` into at most `parts` boxes of near-equal volume along its slowest axis.
///
///   domain   box, half-open [min, max), in elements, 1 to 3 axes; an axis of length 1 counts as none
///   parts    >= 1
///   grain    every cut lies on a multiple of grain[axis]; >= 1
///   returns  1..parts disjoint boxes in order, their union is domain; none if domain is empty
///   throws   split_error B34 if parts is 0, B35 if a grain is below 1
///   cost     O(parts), one allocation
///
/// Every node must get the same answer from the same arguments: no clocks, no hashing of addresses. The boxes differ
/// by at most one grain cell; those with one more come first.
///
///     split({0, 10}, 3)   ->  [0,4) [4,7) [7,10)
std::vector<box> split(const box& domain, std::size_t parts, const extent& grain = unit);

/// Cuts `domain` by a grid of at most parts[axis] boxes along each axis, each axis as split does.
///
///   returns  disjoint boxes, the slowest axis varying slowest, their union is domain; none if domain is empty
///   throws   split_error B34 if a count of parts is below 1, B35 if a grain is below 1
///
///     split_grid(box({0, 0}, {4, 6}), {2, 2})   ->  [0,2)x[0,3) [0,2)x[3,6) [2,4)x[0,3) [2,4)x[3,6)
std::vector<box> split_grid(const box& domain, const extent& parts, const extent& grain = unit);

/// The grid along axes 0 and 1 that cuts `domain` into `parts` tiles as square as possible.
///
///   returns  the grid of exactly `parts` tiles with the shortest tile outlines, if the domain has that many grain
///            cells for it, else that of the nearest number below; axis 2 is not cut
///   throws   as split
///   cost     O(parts), usually O(sqrt(parts))
///
/// A prime number of parts gives strips, because all tiles must have equal sizes.
///
///     tile_grid(box({0, 0}, {1080, 1920}), 8)   ->  2, 4
extent tile_grid(const box& domain, std::size_t parts, const extent& grain = unit);

/// Cuts `domain` into `parts` near-square tiles: split_grid(domain, tile_grid(domain, parts, grain), grain). Throws as
/// split.
std::vector<box> split_tiles(const box& domain, std::size_t parts, const extent& grain = unit);

}  // namespace stretto

STRETTO_API_END
