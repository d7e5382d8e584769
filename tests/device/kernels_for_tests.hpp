// kernels_for_tests.hpp - kernels that the tests of devices share: one of each thing that the language has.
#pragma once

#include <stretto/kernel.hpp>

// clang-format off
STRETTO_DEVICE_CONSTANT(int, tile_side, 8)
STRETTO_DEVICE_CONSTANT(float, half_of_one, 0.5f)
STRETTO_DEVICE_STRUCT(particle, { float x; float v; int kicks; })

STRETTO_DEVICE_FUNCTION(float, laplace, (in<float, 2> u, int i, int j), {
  // The comma and the comment are part of the test: lines are counted over them.
  return u(i - 1, j) + u(i + 1, j) +
         u(i, j - 1) + u(i, j + 1) - 4 * u(i, j);
})

STRETTO_KERNEL(jacobi, (in<float, 2> u, out<float, 2> v, float c), {
  int i = global_id(0), j = global_id(1);
  v(i, j) = u(i, j) + c * laplace(u, i, j);
})

STRETTO_KERNEL(numbered, (out<int, 3> x), {
  x(global_id(0), global_id(1), global_id(2)) = (int)(global_id(0) * 10000 + global_id(1) * 100 + global_id(2));
})

STRETTO_KERNEL(add_one, (inout<int> x), { x(global_id(0)) += 1; })

STRETTO_KERNEL(kick, (inout<particle> p, float dt, particle wind), {
  int i = global_id(0);
  p(i).v += dt * wind.v * half_of_one;
  p(i).x += dt * p(i).v;
  p(i).kicks += wind.kicks;
})

STRETTO_KERNEL(mathematics, (in<double> x, out<double, 2> y), {
  int i = global_id(0);
  double a = x(i);
  y(i, 0) = sqrt(a) + exp(-a) + log(a + 1.0);
  y(i, 1) = sin(a) * cos(a) + pow(a, 1.5) + fmin(a, 2.0) - fmax(a, 3.0);
  y(i, 2) = (double)(max(i, 3) + min(i, 5) + abs(i - 4)) + floor(a) + fabs(-a);
})

STRETTO_KERNEL(tally, (in<int> x, inout<int> count, inout<float> sum, inout<int> least, inout<double> most), {
  int i = global_id(0);
  atomic_add(&count(x(i) % 4), 1);
  atomic_add(&sum(0), 1.0f);
  atomic_min(&least(0), x(i));
  atomic_max(&most(0), (double)(x(i)));
})

STRETTO_GROUP_KERNEL(sum_of_group, (in<float> x, out<float> sums, local<float> part), {
  each_item([&](item it) { part(it.local_id(0)) = x(it.global_id(0)); });
  for (int half = group_size(0) / 2; half > 0; half /= 2)
    each_item([&](item it) {
      if (it.local_id(0) < half) part(it.local_id(0)) += part(it.local_id(0) + half);
    });
  each_item([&](item it) { if (it.local_id(0) == 0) sums(group_id(0)) = part(0); });
})

STRETTO_GROUP_KERNEL(tiled_product, (in<double, 2> a, in<double, 2> b, out<double, 2> c, int n), {
  auto ta = local_array<double, tile_side, tile_side>();
  auto tb = local_array<double, tile_side, tile_side>();
  auto sum = per_item<double>();
  each_item([&](item it) { sum(it) = 0; });
  for (int t = 0; t < n / tile_side; ++t) {
    each_item([&](item it) {
      ta(it.local_id(0), it.local_id(1)) = a(it.global_id(0), t * tile_side + it.local_id(1));
      tb(it.local_id(0), it.local_id(1)) = b(t * tile_side + it.local_id(0), it.global_id(1));
    });
    each_item([&](item it) {
      double s = sum(it);
      for (int k = 0; k < tile_side; ++k) s += ta(it.local_id(0), k) * tb(k, it.local_id(1));
      sum(it) = s;
    });
  }
  each_item([&](item it) { c(it.global_id(0), it.global_id(1)) = sum(it); });
})

STRETTO_KERNEL(row_numbers, (out<int, 2> x), {
  int i = global_id(0), j = global_id(1);
  x(i, j) = i * (int)(global_size(1)) + j;
})

STRETTO_GROUP_KERNEL(group_numbers, (out<int> x), {
  each_item([&](item it) {
    int id = group_id(0) * group_size(1) + it.local_id(1);
    x(id) = id;
  });
})

STRETTO_KERNEL(every_atomic, (inout<int> a, inout<unsigned> u, inout<float> f, inout<int64_t> l, inout<uint64_t> w, inout<double> g), {
  int i = global_id(0) + 1;
  atomic_add(&a(0), i); atomic_min(&a(1), i); atomic_max(&a(2), i);
  atomic_add(&u(0), i); atomic_min(&u(1), i); atomic_max(&u(2), i);
  atomic_add(&f(0), (float)(i)); atomic_min(&f(1), (float)(i)); atomic_max(&f(2), (float)(i));
  atomic_add(&l(0), i); atomic_min(&l(1), i); atomic_max(&l(2), i);
  atomic_add(&w(0), i); atomic_min(&w(1), i); atomic_max(&w(2), i);
  atomic_add(&g(0), (double)(i)); atomic_min(&g(1), (double)(i)); atomic_max(&g(2), (double)(i));
})

STRETTO_DEVICE_FUNCTION(void, vote, (reduce<stretto::sum<int>> votes, int who), { votes(who) << 1; })

STRETTO_KERNEL(histogram, (in<int> x, reduce<stretto::sum<int>> count, reduce<stretto::sum<float>, 2> table), {
  int v = x(global_id(0));
  if (v < 8) vote(count, v); else count(v % 8) << (v > 100 ? 2 : 1);
  table(v % 3, (v % 8)) << 0.5f, table(2 - v % 3, 7) << v + 0.25f;
})

STRETTO_KERNEL(folds_of_words, (in<unsigned> x, reduce<stretto::sum<int>> s, reduce<stretto::product<unsigned>> p,
                                reduce<stretto::minimum<int>> least, reduce<stretto::maximum<unsigned>> most,
                                reduce<stretto::bit_and<unsigned>> all, reduce<stretto::bit_or<int>> any, reduce<stretto::bit_xor<unsigned>> odd), {
  unsigned v = x(global_id(0));
  s(0) << v; p(0) << (v | 1u); least(0) << (int)(v); most(0) << v; all(0) << (v | 4u); any(0) << (int)(v << 1); odd(0) << v;
})

STRETTO_KERNEL(folds_of_floats, (in<float> x, reduce<stretto::sum<float>> s, reduce<stretto::product<float>> p,
                                 reduce<stretto::minimum<float>> least, reduce<stretto::maximum<float>> most), {
  float v = x(global_id(0));
  s(0) << v; p(0) << (v < 0 ? 0.5f : v > 3 && v < 4 ? 2.0f : 1.0f); least(0) << v; most(0) << v;
})

STRETTO_KERNEL(folds_of_64_bits, (in<int64_t> x, reduce<stretto::sum<int64_t>> s, reduce<stretto::product<uint64_t>> p,
                                  reduce<stretto::minimum<int64_t>> least, reduce<stretto::maximum<uint64_t>> most,
                                  reduce<stretto::bit_and<int64_t>> all, reduce<stretto::bit_or<uint64_t>> any,
                                  reduce<stretto::bit_xor<int64_t>> odd, reduce<stretto::sum<double>> sums,
                                  reduce<stretto::product<double>> products, reduce<stretto::minimum<double>> floor_of,
                                  reduce<stretto::maximum<double>> top_of), {
  int64_t v = x(global_id(0));
  s(0) << v; p(0) << (uint64_t)(v * 2 + 1); least(0) << v; most(0) << (uint64_t)(v); all(0) << v; any(0) << (uint64_t)(v); odd(0) << v;
  double w = (double)(v);
  sums(0) << w; products(0) << (v % 2 ? 2.0 : 0.5); floor_of(0) << -w; top_of(0) << w;
})

STRETTO_KERNEL(folds_of_long_names, (in<long long> x, reduce<stretto::sum<long long>> s, reduce<stretto::maximum<unsigned long>> most,
                                     reduce<stretto::sum<unsigned int>> n, reduce<stretto::bit_xor<unsigned long long>> odd, inout<long long> t), {
  long long v = x(global_id(0)) * 1ll;
  s(0) << v; most(0) << (unsigned long)(v); n(0) << 1u; odd(0) << (unsigned long long)(v);
  atomic_add(&t(0), v);
})

// Operators of the program's own, on elements that are locked in words, halves and bytes.
STRETTO_DEVICE_STRUCT(nearest_hit, { float distance; int at; })
STRETTO_DEVICE_FUNCTION(nearest_hit, nearer, (nearest_hit a, nearest_hit b), {
  return b.distance < a.distance || (b.distance == a.distance && b.at < a.at) ? b : a;
})
STRETTO_DEVICE_OPERATOR(nearest, nearest_hit, nearer, {1e30f, 2147483647})

STRETTO_DEVICE_STRUCT(plane_number, { double re; double im; })
STRETTO_DEVICE_FUNCTION(plane_number, plane_sum, (plane_number a, plane_number b), {
  a.re += b.re;
  a.im += b.im;
  return a;
})
STRETTO_DEVICE_OPERATOR(sum_in_plane, plane_number, plane_sum, {0, 0})

STRETTO_DEVICE_CONSTANT(int, top_count, 3)
STRETTO_DEVICE_STRUCT(top_values, { int64_t is[top_count]; int16_t known; })
STRETTO_DEVICE_FUNCTION(top_values, top_of_both, (top_values a, top_values b), {
  top_values most;
  int n = 0, i = 0, j = 0;
  while (n < top_count && (i < a.known || j < b.known)) {
    if (j >= b.known || (i < a.known && a.is[i] >= b.is[j])) most.is[n++] = a.is[i++];
    else most.is[n++] = b.is[j++];
  }
  most.known = n;
  for (; n < top_count; ++n) most.is[n] = 0;
  return most;
})
STRETTO_DEVICE_OPERATOR(top_three, top_values, top_of_both, {{0, 0, 0}, 0})

STRETTO_DEVICE_STRUCT(three_bytes, { uint8_t is[3]; })
STRETTO_DEVICE_FUNCTION(three_bytes, three_xor, (three_bytes a, three_bytes b), {
  for (int k = 0; k < 3; ++k) a.is[k] = (uint8_t)(a.is[k] ^ b.is[k]);
  return a;
})
STRETTO_DEVICE_OPERATOR(xor_of_three, three_bytes, three_xor, {{0, 0, 0}})
STRETTO_DEVICE_FUNCTION(int, remainder_product, (int a, int b), { return (int)((int64_t)(a) * b % 10007); })
STRETTO_DEVICE_OPERATOR(product_of_remainders, int, remainder_product, 1)

STRETTO_KERNEL(folds_by_own, (in<int> x, reduce<nearest> near, reduce<sum_in_plane, 2> s, reduce<top_three> top, reduce<xor_of_three> odd,
                              reduce<product_of_remainders> p), {
  int i = global_id(0), v = x(i);
  nearest_hit f = {fabs((float)(v) - 5000.5f), i};
  near(0) << f;
  plane_number z = {(double)(v), (double)(2 * i)};
  s(v % 3, i % 2) << z;
  top_values t = {{v, 0, 0}, 1};
  if (v % 2) top(0) << t; else top(1) << t;
  three_bytes b = {{(uint8_t)(v), (uint8_t)(i), 255}};
  odd(v % 5) << b, p(0) << v % 10006 + 1;
})

STRETTO_KERNEL(mixed_mathematics, (in<float> x, out<float, 2> y), {
  int i = global_id(0);
  float a = x(i);
  y(i, 0) = sqrt(a) + rsqrt(a) + exp(a) + log(a) + sin(a) + cos(a) + atan(a) + tanh(a) + floor(a) + ceil(a) + round(a) + fabs(-a);
  y(i, 1) = pow(a, 2.5f) + atan2(a, 1.5f) + fmod(a, 0.7f) + hypot(a, 2.0f) + fmin(a, 1.0f) + fmax(a, 1.0f) + fma(a, 2.0f, 1.0f) +
            (float)(min(global_id(0), 3) + max(i, 4) + abs(i - 3));
})
// Indices of every type, of which only those without a sign need coordinates that are not negative.
STRETTO_KERNEL(by_indices_of_all_types, (in<int, 2> x, out<int, 2> y, int64_t first, int has_unsigned), {
  int64_t i = global_id(0), j = global_id(1);
  short narrow = (short)(j);
  y(i, (int)(j)) = x((int)(i), j) * 8 + x(i, narrow) * 4 + x(first + (i - first), (int)(j)) * 2 +
                   (has_unsigned ? x((unsigned)(i), (uint64_t)(j)) : x(i, j));
})
// Ids in full, and as the bodies of programs keep them.
STRETTO_KERNEL(ids_far_away, (out<int64_t> x, inout<int64_t> sum, int64_t from), {
  x(global_id(0)) = global_id(0);
  int near = (int)(global_id(0) - from);
  atomic_add(&sum(near % 3), global_id(0));
})
STRETTO_GROUP_KERNEL(ids_of_groups_far_away, (out<int64_t> x), {
  each_item([&](item it) { x(it.global_id(0)) = it.global_id(0) + group_id(0) * group_size(0) - it.local_id(0); });
})
STRETTO_KERNEL(set_all, (out<unsigned, 2> a, unsigned c), {
  int i = global_id(0), j = global_id(1);
  a(i, j) = c + (unsigned)(i * 31 + j);
})

// Each element is visited once, by however many items there are along however many axes.
STRETTO_KERNEL(shared_by_all, (inout<int> x, int first, int last), { STRETTO_FOREACH(i, first, last) x(i) += (int)(i); })

STRETTO_KERNEL(mix, (in<unsigned, 2> a, inout<unsigned, 2> b, int di, int dj, unsigned c), {
  int i = global_id(0), j = global_id(1);
  b(i, j) = b(i, j) * 5u + a(i + di, j + dj) * 3u + c;
})
// clang-format on
