// kernels_that_devices_refuse.hpp - kernels that hold what only the host's compiler sees.
#pragma once

#include <stretto/kernel.hpp>

#define STRETTO_TEST_RADIUS 3

namespace stretto::test {

inline int of_the_host(int x) { return x + 1; }
inline constexpr int known_to_the_host = 4;
using number_of_the_host = float;
struct structure_of_the_host {
  int a;
};

// clang-format off
STRETTO_KERNEL(uses_a_macro, (inout<int> x), {
  int i = global_id(0);
  x(i) += i +
          STRETTO_TEST_RADIUS;
})
STRETTO_KERNEL(calls_the_host, (inout<int> x), { x(global_id(0)) = of_the_host(3); })
STRETTO_KERNEL(names_a_constant_of_the_host, (inout<int> x), { x(global_id(0)) = known_to_the_host; })
STRETTO_KERNEL(has_a_type_of_the_host, (inout<int> x), { number_of_the_host y = 2; x(global_id(0)) = (int)(y); })
STRETTO_KERNEL(takes_a_structure_of_the_host, (inout<int> x, structure_of_the_host s), { x(global_id(0)) = s.a; })
STRETTO_DEVICE_FUNCTION(int, helps_by_a_macro, (int y), { return y * STRETTO_TEST_RADIUS; })
STRETTO_KERNEL(is_helped_by_a_macro, (inout<int> x), { x(global_id(0)) = helps_by_a_macro(2); })
STRETTO_KERNEL(has_a_directive, (inout<int> x), {
  int i = global_id(0);
#ifdef STRETTO_TEST_RADIUS
  x(i) += 1;
#else
  x(i) += 2;
#endif
})
STRETTO_DEVICE_FUNCTION(int, helps_by_a_directive, (int y), {
#if STRETTO_TEST_RADIUS > 2
  return y;
#endif
})
STRETTO_KERNEL(is_helped_by_a_directive, (inout<int> x), { x(global_id(0)) = helps_by_a_directive(2); })

STRETTO_DEVICE_STRUCT(pair_of_numbers, { int first; float second; })
STRETTO_DEVICE_CONSTANT(int, known_to_devices, 4)
STRETTO_DEVICE_FUNCTION(int, known_function, (in<int> y, int n), { return y(n) + known_to_devices; })
STRETTO_KERNEL(names_all_sorts_of_things, (in<int> y, inout<pair_of_numbers> x, pair_of_numbers p, uint64_t n, const float c), {
  int i = global_id(0), j = known_function(y, i), k[2] = {known_to_devices, 1};
  const unsigned long long wide = n;
  pair_of_numbers q = {1, 2.0f}, r = q, *at = &r;
  at->first = x(i).first =  q.first + j + k[0] + (int)(wide) + (int)(sizeof(float));
  for (int first = 0, last = 3; first < last; ++first) {
    if (first == 1) continue; else break;
  }
  STRETTO_FOREACH(step, 0, 10) q.first += (int)(step);
  x(i).second = c + p.second + r.second + .5f + fmax(q.second, (float)(j)) + float(i);
  switch (i) { case 1: x(i).first = true ? 1 : 2; break; default: break; }
})
STRETTO_GROUP_KERNEL(names_what_groups_have, (inout<float> x, local<float> part), {
  auto sum = per_item<float>();
  auto tile = local_array<float, 16, known_to_devices>();
  each_item([&](item it) {
    sum(it) = x(it.global_id(0)) + group_id(0) + group_count(0);
    part(it.local_id(0)) = tile(0, 0) = 1;
  });
  each_item([&](item other) { x(other.global_id(0)) = sum(other) + part(other.local_id(0)); });
})
// clang-format on

}  // namespace stretto::test
