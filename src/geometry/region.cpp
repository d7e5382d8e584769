#include "geometry/region.hpp"

#include <algorithm>
#include <limits>
#include <ostream>

namespace stretto {
namespace {

using boxes = std::span<const box>;

// Which points of two sets to keep: those only in the first, only in the second, in both.
struct kept_points {
  bool first, second, both;
};
constexpr kept_points in_any{true, true, true}, in_both{false, false, true}, in_first_only{true, false, false};

constexpr coordinate infinity = std::numeric_limits<coordinate>::max();

box with_axis(const box& b, int axis, coordinate min, coordinate max) {
  point low = b.min(), high = b.max();
  low[axis] = min;
  high[axis] = max;
  return box::between(low, high);
}

// The boxes at the front that make up one band along the axis.
boxes front_band(boxes all, int axis) {
  std::size_t n = 0;
  while (n < all.size() && all[n].min()[axis] == all[0].min()[axis]) ++n;
  return all.first(n);
}

// Two bands whose sections across the axis are the same.
bool same_section(boxes a, boxes b, int axis) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [axis](const box& x, const box& y) {
    for (int i = axis + 1; i < max_axes; ++i)
      if (x.min()[i] != y.min()[i] || x.max()[i] != y.max()[i]) return false;
    return true;
  });
}

// Walks along one axis over the bands of a set of boxes.
struct band_walk {
  band_walk(boxes all, int axis) : rest(all), axis(axis) { advance(); }

  coordinate next_change(coordinate now) const { return band.empty() ? infinity : now < begin ? begin : end; }
  bool covers(coordinate at) const { return !band.empty() && begin <= at; }
  void advance_past(coordinate at) {
    if (!band.empty() && end <= at) advance();
  }
  void advance() {
    band = front_band(rest, axis);
    rest = rest.subspan(band.size());
    if (!band.empty()) begin = band[0].min()[axis], end = band[0].max()[axis];
  }

  boxes band, rest;
  int axis;
  coordinate begin = infinity, end = infinity;
};

// Appends the boxes of the combination, canonical with respect to `axis` and the axes after it. The caller sets their
// bounds on earlier axes.
void combine(boxes a, boxes b, int axis, kept_points keep, std::vector<box>& out) {
  band_walk in_a(a, axis), in_b(b, axis);
  std::size_t previous = out.size();  // index of the first box of the band before
  coordinate previous_end = -infinity;
  coordinate at = std::min(in_a.begin, in_b.begin);
  while (!in_a.band.empty() || !in_b.band.empty()) {
    const coordinate next = std::min(in_a.next_change(at), in_b.next_change(at));
    const bool from_a = in_a.covers(at), from_b = in_b.covers(at);
    const std::size_t here = out.size();
    if (from_a && from_b && axis + 1 < max_axes) combine(in_a.band, in_b.band, axis + 1, keep, out);
    else if (from_a && from_b ? keep.both : from_a ? keep.first : from_b && keep.second)
      out.insert(out.end(), (from_a ? in_a : in_b).band.begin(), (from_a ? in_a : in_b).band.end());

    if (out.size() > here) {
      const boxes before(out.data() + previous, here - previous), now(out.data() + here, out.size() - here);
      if (previous_end == at && same_section(before, now, axis)) {
        out.resize(here);
        for (std::size_t i = previous; i < here; ++i) out[i] = with_axis(out[i], axis, out[i].min()[axis], next);
      } else {
        for (std::size_t i = here; i < out.size(); ++i) out[i] = with_axis(out[i], axis, at, next);
        previous = here;
      }
      previous_end = next;
    }
    in_a.advance_past(next);
    in_b.advance_past(next);
    at = next;
  }
}

std::vector<box> combined(boxes a, boxes b, kept_points keep) {
  std::vector<box> out;
  out.reserve(a.size() + b.size());
  combine(a, b, 0, keep, out);
  return out;
}

}  // namespace

// Divide and conquer: each box takes part in log n unions instead of n.
region::region(std::span<const box> any) {
  if (any.size() <= 1) {
    if (!any.empty() && !any[0].is_empty()) boxes_.push_back(any[0]);
    return;
  }
  const region low(any.first(any.size() / 2)), high(any.subspan(any.size() / 2));
  boxes_ = combined(low.boxes_, high.boxes_, in_any);
}

region operator|(const region& a, const region& b) {
  region r;
  r.boxes_ = combined(a.boxes_, b.boxes_, in_any);
  return r;
}
region operator&(const region& a, const region& b) {
  region r;
  r.boxes_ = combined(a.boxes_, b.boxes_, in_both);
  return r;
}
region operator-(const region& a, const region& b) {
  region r;
  r.boxes_ = combined(a.boxes_, b.boxes_, in_first_only);
  return r;
}

std::uint64_t region::volume() const noexcept {
  std::uint64_t v = 0;
  for (const box& b : boxes_) v = b.volume() > UINT64_MAX - v ? UINT64_MAX : v + b.volume();
  return v;
}

box region::bounds() const noexcept {
  box all;
  for (const box& b : boxes_) all = hull(all, b);
  return all;
}

bool region::contains(const point& p) const noexcept {
  return std::any_of(boxes_.begin(), boxes_.end(), [&](const box& b) { return b.contains(p); });
}
bool region::contains(const region& r) const { return (r - *this).is_empty(); }

bool region::meets(const box& b) const noexcept {
  return std::any_of(boxes_.begin(), boxes_.end(), [&](const box& own) { return own.meets(b); });
}
bool region::meets(const region& r) const { return !(*this & r).is_empty(); }

region region::shifted(const point& by) const {
  region r;
  r.boxes_.reserve(boxes_.size());
  for (const box& b : boxes_) r.boxes_.push_back(b.shifted(by));
  return r;
}

std::string region::text() const {
  if (boxes_.empty()) return "empty";
  std::string s;
  for (const box& b : boxes_) s += (s.empty() ? "" : " + ") + b.text();
  return s;
}

std::ostream& operator<<(std::ostream& to, const region& r) { return to << r.text(); }

}  // namespace stretto
