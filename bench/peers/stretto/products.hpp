// products.hpp - products of matrices as kernels, which are compared with loops of the host's and with text for devices
// by hand.
//
// Threads     kernels.
#pragma once

#include <stretto/kernel.hpp>

// clang-format off
STRETTO_KERNEL(plain_product, (in<float, 2> a, in<float, 2> b, out<float, 2> c, int n), {
  int i = global_id(0), j = global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a(i, k) * b(k, j);
  c(i, j) = sum;
})

STRETTO_GROUP_KERNEL(product_of_tiles, (in<float, 2> a, in<float, 2> b, out<float, 2> c, int n), {
  auto x = local_array<float, 16, 16>();
  auto y = local_array<float, 16, 16>();
  auto sum = per_item<float>();
  each_item([&](item it) { sum(it) = 0; });
  for (int k0 = 0; k0 < n; k0 += 16) {
    each_item([&](item it) {
      int i = it.local_id(0), j = it.local_id(1);
      x(i, j) = a(it.global_id(0), k0 + j);
      y(i, j) = b(k0 + i, it.global_id(1));
    });
    each_item([&](item it) {
      int i = it.local_id(0), j = it.local_id(1);
      float s = sum(it);
      for (int k = 0; k < 16; ++k) s += x(i, k) * y(k, j);
      sum(it) = s;
    });
  }
  each_item([&](item it) { c(it.global_id(0), it.global_id(1)) = sum(it); });
})
// clang-format on
