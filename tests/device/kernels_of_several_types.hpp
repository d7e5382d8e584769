// kernels_of_several_types.hpp - kernels on bool and short vectors, kernels of templates and in the scope of functions
// and classes.
#pragma once

#include <stretto/kernel_template.hpp>
#include <stretto/reduction_operator.hpp>

namespace stretto::test {

// clang-format off
STRETTO_DEVICE_STRUCT(flagged_point, { float4 at; bool is_alive; int2 cell; })
STRETTO_DEVICE_STRUCT(point_and_flag, { flagged_point point; bool is_first; })
STRETTO_DEVICE_CONSTANT(float4, upwards, {0, 0, 9.5f, 0})
STRETTO_DEVICE_FUNCTION(stretto::float4, moved, (float4 at, float dt), { at += dt * upwards; return at; })
STRETTO_DEVICE_FUNCTION(bool, is_above, (in<flagged_point> points, int i, float height), { return points(i).at.z > height; })

STRETTO_KERNEL(flags_turned, (in<bool> f, out<bool> g, out<int> n, bool turn), {
  int i = global_id(0);
  bool is_set = f(i) != turn;
  int twice = is_set ? 2 * i + 2 : 0;
  g(i) = twice;
  n(i) = g(i) + bool(twice);
})
STRETTO_GROUP_KERNEL(flags_of_groups, (in<bool> f, out<bool> g, local<bool> kept), {
  auto tile = local_array<bool, 8>();
  auto seen = per_item<bool>();
  each_item([&](item it) {
    int i = it.local_id(0);
    kept(i) = f(it.global_id(0));
    tile(i) = i + 256;
    seen(it) = seen(it) || kept(i);
  });
  each_item([&](item it) {
    int i = it.local_id(0);
    g(it.global_id(0)) = kept(7 - i) && tile(i) && seen(it);
  });
})
STRETTO_KERNEL(points_moved, (in<flagged_point> old, out<flagged_point> next, point_and_flag by, float4 wind, float dt), {
  int i = global_id(0);
  flagged_point p = old(i);
  p.at = moved(p.at, dt) + 2 * wind + by.point.at;
  p.at.w = p.at.x - 1;
  int flags = 4 * (i % 2);
  p.is_alive = (by.is_first && by.point.is_alive) ? flags : p.is_alive;
  p.cell = int2(i, 3) * p.cell - by.point.cell;
  if (is_above(old, i, 0.5f)) p.cell.x += 1000;
  next(i) = p;
})
STRETTO_KERNEL(vectors_made, (out<float4, 2> v, float s), {
  int i = global_id(0);
  float4 a = {1, 2, 3, 4};
  stretto::float4 b = stretto::float4(i, s, 2, 0.5f);
  v(i, 0) = a;
  v(i, 1) = b;
  v(i, 2) = float4(s) + (float4)(s);
  v(i, 3).x = b.w, v(i, 3).y = a.z, v(i, 3).z = b.y, v(i, 3).w = 0;
})

STRETTO_KERNEL_TEMPLATE((class V, class T), vector_arithmetic, (in<V> x, in<V> y, out<V, 2> z, T n), {
  int i = global_id(0);
  V a = x(i), b = y(i), c = a;
  z(i, 0) = a + b, z(i, 1) = a - b, z(i, 2) = a * b, z(i, 3) = a / b;
  z(i, 4) = a + n, z(i, 5) = n - a, z(i, 6) = n * a, z(i, 7) = a / n;
  z(i, 8) = n / b, z(i, 9) = -a, z(i, 10) = V(n), z(i, 11) = 2 * a;
  c += b, c *= n, c -= b, c /= b;
  z(i, 12) = c;
  c += n, c.x = a.y, c.y = a.x;
  z(i, 13) = c;
})
STRETTO_KERNEL_TEMPLATE((class T, int N), window_sum, (in<T> u, out<T> v, T first), {
  int i = global_id(0);
  T sum = first + u(i);
  for (int d = 1; d <= N; ++d) sum += u(i - d) + u(i + d);
  v(i) = sum / 2;
})
STRETTO_GROUP_KERNEL_TEMPLATE((class T, size_t N), turned_in_groups, (in<T> x, out<T> y, local<T> kept), {
  auto tile = local_array<T, N>();
  auto twice = per_item<T>();
  each_item([&](item it) {
    tile(it.local_id(0)) = x(it.global_id(0));
    kept(it.local_id(0)) = x(it.global_id(0));
    twice(it) += x(it.global_id(0));
  });
  each_item([&](item it) { y(it.global_id(0)) = twice(it) + tile(N - 1 - it.local_id(0)) + kept(it.local_id(0)); });
})
STRETTO_KERNEL_TEMPLATE((class From, typename To), converted, (in<From> x, out<To> y), { int i = global_id(0); y(i) = To(x(i)); })
STRETTO_KERNEL_TEMPLATE((class T, unsigned N), counted, (in<T> x, inout<T> sums, reduce<sum<T>> all), {
  int i = global_id(0);
  atomic_add(&sums(i % (int)(N)), x(i));
  all(0) << x(i);
})
STRETTO_KERNEL_TEMPLATE((class T, uint8_t D), plane_of, (out<T, D> x, T by), {
  int i = global_id(0), j = global_id(1);
  x(i, j) = by * (i * 10 + j);
})
STRETTO_KERNEL_TEMPLATE((int A, unsigned B, int64_t C, uint64_t E, int8_t F, bool G), numbers_of, (out<int64_t> x), {
  x(0) = A; x(1) = B; x(2) = C; x(3) = (int64_t)(E / 2u); x(4) = F; x(5) = G;
})
STRETTO_KERNEL_TEMPLATE((class T), ids_kept_as, (inout<int> x), { T i = global_id(0); x(i) += 1; })

/// A class with kernels of its own.
template <class T>
struct relaxation {
  static constexpr int weight = 3;
  STRETTO_SCOPED_KERNEL_USING((class T, int weight), step, (in<T> u, out<T> v), {
    int i = global_id(0);
    v(i) = weight * u(i) + T(1);
  })
};
struct counters {
  STRETTO_SCOPED_KERNEL(doubled, (inout<int> x), { x(global_id(0)) *= 2; })
  STRETTO_SCOPED_GROUP_KERNEL(numbered, (inout<int> x), { each_item([&](item it) { x(it.global_id(0)) += it.local_id(0); }); })
};
/// A kernel of a function.
template <class T, int N>
inline auto power_kernel() {
  using real = T;
  constexpr int last = N - 1;
  STRETTO_SCOPED_KERNEL_USING((class real, int last), power, (inout<real> v), {
    real x = v(global_id(0));
    for (int k = 0; k < last; ++k) v(global_id(0)) *= x;
  })
  return power;
}
// clang-format on

}  // namespace stretto::test
