// device_kernels.hpp - what devices do with the cells of a cuboid: z, y, x, as positions in the whole problem.
#pragma once

#include <stretto/kernel.hpp>

#include "demo/jacobi3d/problem.hpp"

namespace jacobi3d {

STRETTO_KERNEL(copy_cells, (in<double, 3> from, out<double, 3> to), {
  int z = global_id(0), y = global_id(1), x = global_id(2);
  to(z, y, x) = from(z, y, x);
})
// The sum of `relax`, in the same order.
STRETTO_KERNEL(relax_cells, (in<double, 3> u, out<double, 3> v, double sixth), {
  int z = global_id(0), y = global_id(1), x = global_id(2);
  v(z, y, x) =
      ((u(z, y, x - 1) + u(z, y, x + 1)) + (u(z, y - 1, x) + u(z, y + 1, x)) + (u(z - 1, y, x) + u(z + 1, y, x))) *
      sixth;
})

/// The cells of a block; those of them that lie at that side, which the neighbour has around it.
inline stretto::box inside_of(const block& b) {
  const auto first = [&](unsigned axis) { return stretto::coordinate{b.first[axis]} + 1; };
  return {{first(2), first(1), first(0)}, {first(2) + b.size[2], first(1) + b.size[1], first(0) + b.size[0]}};
}
inline stretto::box layer_of(const block& b, unsigned side) {
  const int axis = 2 - static_cast<int>(side / 2);  // x lies closest together
  stretto::point min = inside_of(b).min(), max = inside_of(b).max();
  if (side % 2) min[axis] = max[axis] - 1;
  else max[axis] = min[axis] + 1;
  return stretto::box::between(min, max);
}
/// With one cell around it.
inline stretto::box around(const block& b) {
  const stretto::point one(1, 1, 1);
  return stretto::box::between(inside_of(b).min() - one, inside_of(b).max() + one);
}

}  // namespace jacobi3d
