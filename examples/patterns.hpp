// patterns.hpp - arrays that grow, along one, two or three axes: what an example and `stretto demo patterns` share.
//
// Threads     those that take a size are called inside run() of every node.
// Source      A. Thue, 1912; W. Sierpinski, 1915; which binomials are odd: E. Lucas, 1878.
#pragma once

#include <cstddef>
#include <vector>

#include <stretto/stretto.hpp>

namespace patterns {

using namespace stretto;

// clang-format off
STRETTO_KERNEL(turn_round, (in<int> earlier, out<int> now, int half), { now(global_id(0)) = half == 0 ? 0 : 1 - earlier(global_id(0) - half); })
STRETTO_KERNEL(add_rows, (in<int, 2> earlier, out<int, 2> now), {
  const int t = global_id(0);
  const int i = global_id(1);
  int odd = i == 0 ? 1 : 0;
  if (i > 0)
    for (int s = 0; s < t; ++s) odd = (odd + earlier(s, i - 1)) % 2;
  now(t, i) = odd;
})
STRETTO_KERNEL(add_layers, (in<int, 3> earlier, out<int, 3> now), {
  const int t = global_id(0);
  const int i = global_id(1);
  const int j = global_id(2);
  int odd = i == 0 && j == 0 ? 1 : 0;
  for (int s = 0; s < t; ++s) {
    if (i > 0) odd = (odd + earlier(s, i - 1, j)) % 2;
    if (j > 0) odd = (odd + earlier(s, i, j - 1)) % 2;
  }
  now(t, i, j) = odd;
})
// clang-format on

using numbers = std::vector<int>;

/// All elements by rows, the same on every node; none in a dry run, in which nothing is computed (example 40).
template <std::size_t D>
numbers elements_of(const buffer<int, D>& x, int side) {
  const auto later = x.read();
  if (is_dry_run()) return {};
  const auto& seen = later.get();
  numbers result;
  for (int t = 0; t < side; ++t) {
    if constexpr (D == 1) result.push_back(seen.view()(t));
    else
      for (int i = 0; i < side; ++i) {
        if constexpr (D == 2) result.push_back(seen.view()(t, i));
        else
          for (int j = 0; j < side; ++j) result.push_back(seen.view()(t, i, j));
      }
  }
  return result;
}

/// The parity of the ones of each number below `count`, a power of 2.
inline numbers parities(int count) {
  const buffer<int> x(box(0, count), {.name = "parities"});
  launch(turn_round, box(0, 1), x(fixed({0, 0})), x(one_to_one), 0);
  for (int half = 1; half < count; half *= 2)
    launch(turn_round, box(half, 2 * half), x(fixed({0, half})), x(one_to_one), half);
  return elements_of(x, count);
}
/// Whether "t over i" is odd, in `rows` rows.
inline numbers binomials(int rows) {
  const buffer<int, 2> x({{0, 0}, {rows, rows}}, {.name = "binomials"});
  for (int t = 0; t < rows; ++t)
    launch(add_rows, box({t, 0}, {t + 1, rows}), x(fixed({{0, 0}, {t, rows}})), x(one_to_one));
  return elements_of(x, rows);
}
/// Whether "t over i and j" is odd, in `layers` layers.
inline numbers trinomials(int layers) {
  const buffer<int, 3> x({{0, 0, 0}, {layers, layers, layers}}, {.name = "trinomials"});
  for (int t = 0; t < layers; ++t)
    launch(add_layers, box({t, 0, 0}, {t + 1, layers, layers}), x(fixed({{0, 0, 0}, {t, layers, layers}})),
           x(one_to_one));
  return elements_of(x, layers);
}

}  // namespace patterns
