// arrays.hpp - host arrays as arguments of kernels, for tests.
#pragma once

#include <stretto/kernel.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stretto::device {

/// A row-major array of up to three axes whose first element has the coordinates `min`.
template <class T>
struct array {
  std::array<std::int64_t, 3> min{0, 0, 0}, length{1, 1, 1};
  int axes = 1;
  std::vector<T> values;

  explicit array(std::vector<std::int64_t> lengths, T fill = T{}, std::vector<std::int64_t> from = {}) {
    axes = static_cast<int>(lengths.size());
    std::size_t n = 1;
    for (std::size_t a = 0; a < lengths.size(); ++a) {
      length[a] = lengths[a];
      if (!from.empty()) min[a] = from[a];
      n *= static_cast<std::size_t>(lengths[a]);
    }
    values.assign(n, fill);
  }

  std::uint64_t bytes() const { return values.size() * sizeof(T); }

  /// As an argument whose first element is at `first`.
  kernel_argument at(std::byte* first) const {
    kernel_argument a;
    std::int64_t stride = 1, offset = 0;
    for (int i = axes - 1; i >= 0; --i) {
      a.stride[i] = stride;
      a.min[i] = min[static_cast<std::size_t>(i)];
      a.max[i] = a.min[i] + length[static_cast<std::size_t>(i)];
      offset += a.min[i] * stride;
      stride *= length[static_cast<std::size_t>(i)];
    }
    a.origin = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(first) -
                                            static_cast<std::uintptr_t>(offset * static_cast<std::int64_t>(sizeof(T))));
    return a;
  }
  kernel_argument here() { return at(reinterpret_cast<std::byte*>(values.data())); }
};

template <class T>
kernel_argument value(T& v) {
  return {reinterpret_cast<std::byte*>(&v)};
}
inline kernel_argument local_elements(std::int64_t n) { return {nullptr, {1, 0, 0}, {0, 0, 0}, {n, 0, 0}}; }

}  // namespace stretto::device
