#include "demo/on_buffers/matrix_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <stretto/job.hpp>

#include "matrix_product.hpp"

namespace on_buffers {

using namespace stretto;

namespace {

template <class F>
square make(int side, F f) {
  square s{side, {}};
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) s.elements.push_back(f(i, j));
  return s;
}

std::vector<double> times(const square& m, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += m.elements[i * x.size() + j] * x[j];
  return y;
}

constexpr wave::rgb colours[] = {{240, 180, 70},  {80, 170, 230}, {220, 90, 110}, {110, 200, 130},
                                 {170, 130, 230}, {230, 130, 60}, {90, 210, 210}, {200, 200, 200}};

}  // namespace

square left_factor(int side) {
  return make(side, [side](int i, int k) {
    return std::round(8 * std::cos(40.0 * i * k / (static_cast<double>(side) * side)));
  });
}
square right_factor(int side) {
  return make(side, [side](int k, int j) {
    return std::round(8 * std::cos(40.0 * k * j / (static_cast<double>(side) * side)));
  });
}

product product_on_nodes(const square& a, const square& b) {
  const box all_elements({0, 0}, {a.side, a.side});
  const buffer<double, 2> left(all_elements, a.elements.data(), {.name = "left"}),
      right(all_elements, b.elements.data(), {.name = "right"});
  const buffer<double, 2> c = matrix_product::times(left, right);
  const buffer<int, 2> owner(all_elements, {.name = "owner"});
  // Cut as the product is: each part runs where what it reads has been computed, and nothing is sent.
  host_task(
      in_tiles, all_elements,
      [](const box& part, view<const double, 2>, view<int, 2> to) {
        for (coordinate i = part.min()[0]; i < part.max()[0]; ++i)
          for (coordinate j = part.min()[1]; j < part.max()[1]; ++j) to(i, j) = static_cast<int>(this_node());
      },
      c.in(one_to_one), owner.out(one_to_one));
  const auto later = c.read();
  const auto later_owner = owner.read();
  const auto& seen = later.get();
  const auto& seen_owner = later_owner.get();
  product p{{a.side, {}}, {}};
  for (int i = 0; i < a.side; ++i)
    for (int j = 0; j < a.side; ++j)
      p.result.elements.push_back(seen.view()(i, j)), p.owner.push_back(seen_owner.view()(i, j));
  return p;
}

bool is_product(const square& a, const square& b, const square& c, int vectors) {
  std::minstd_rand random(3);
  for (int n = 0; n < vectors; ++n) {
    std::vector<double> signs(static_cast<std::size_t>(a.side));
    for (double& one : signs) one = random() / 1024 % 2 ? 1 : -1;
    if (times(c, signs) != times(a, times(b, signs))) return false;
  }
  return true;
}

wave::rgb_image picture_of(const product& p, int pixels) {
  const int side = p.result.side, wide = std::max(1, pixels / side);
  const auto [least, most] = std::ranges::minmax(p.result.elements);
  wave::rgb_image image{{side * wide, side * wide}, {}};
  for (int y = 0; y < image.size.rows; ++y)
    for (int x = 0; x < image.size.columns; ++x) {
      const auto at = static_cast<std::size_t>(y / wide * side + x / wide);
      const double shade = most > least ? 0.12 + 0.88 * std::sqrt((p.result.elements[at] - least) / (most - least)) : 1;
      const wave::rgb full = colours[static_cast<std::size_t>(p.owner[at]) % std::size(colours)];
      const auto part = [shade](int value) { return static_cast<std::uint8_t>(shade * value); };
      image.pixels.push_back({part(full.red), part(full.green), part(full.blue)});
    }
  return image;
}

}  // namespace on_buffers
