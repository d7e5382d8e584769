// small_boxes.hpp - random boxes in a cube of a few hundred points, and sets of its points to compare them with.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <bitset>

#include "geometry/region.hpp"

namespace small_boxes {

inline constexpr stretto::coordinate low = -3, high = 4;  // of the cube, on every axis
inline constexpr int side = static_cast<int>(high - low);

/// A box of one, two or three axes; sometimes empty.
inline rc::Gen<stretto::box> any() {
  const auto c = rc::gen::inRange<stretto::coordinate>(low, high + 1);
  return rc::gen::map(rc::gen::tuple(rc::gen::inRange(1, 4), rc::gen::tuple(c, c, c), rc::gen::tuple(c, c, c)),
                      [](const auto& t) {
                        const auto& [axes, a, b] = t;
                        const auto [a0, a1, a2] = a;
                        const auto [b0, b1, b2] = b;
                        using std::max, std::min;
                        stretto::point from(min(a0, b0), min(a1, b1), min(a2, b2));
                        stretto::point to(max(a0, b0), max(a1, b1), max(a2, b2));
                        for (int i = axes; i < stretto::max_axes; ++i) from[i] = 0, to[i] = 1;
                        return stretto::box::between(from, to);
                      });
}

inline rc::Gen<std::vector<stretto::box>> several() { return rc::gen::container<std::vector<stretto::box>>(any()); }

inline rc::Gen<stretto::region> any_region() {
  return rc::gen::map(several(),
                      [](const std::vector<stretto::box>& boxes) { return stretto::region(std::span(boxes)); });
}

template <class Visit>
void each_point(Visit visit) {
  for (auto x = low; x < high; ++x)
    for (auto y = low; y < high; ++y)
      for (auto z = low; z < high; ++z) visit(stretto::point(x, y, z));
}

/// The naive model of a set: one bit for each point of the cube.
using bitmap = std::bitset<static_cast<std::size_t>(side) * side * side>;

inline std::size_t bit(const stretto::point& p) {
  return static_cast<std::size_t>(((p[0] - low) * side + (p[1] - low)) * side + (p[2] - low));
}
inline bitmap bits(const stretto::box& b) {
  bitmap m;
  each_point([&](const stretto::point& p) { m[bit(p)] = b.contains(p); });
  return m;
}
inline bitmap bits(std::span<const stretto::box> boxes) {
  bitmap m;
  for (const auto& b : boxes) m |= bits(b);
  return m;
}
inline bitmap bits(const stretto::region& r) { return bits(std::span(r.boxes())); }

}  // namespace small_boxes
