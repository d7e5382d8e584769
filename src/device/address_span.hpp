// address_span.hpp - the range of addresses from an array's first element to its last.
//
// Threads     a value.
#pragma once

#include <stretto/kernel_code.hpp>

#include <cstdint>

namespace stretto::device {

struct address_span {
  std::intptr_t first = 0, end = 0;  // equal if the array is empty

  address_span(const kernel_argument& a, const kernel_parameter& p) {
    std::int64_t least = 0, most = 0;  // offsets from the origin, in elements
    for (int axis = 0; axis < p.dimensions; ++axis) {
      if (a.max[axis] <= a.min[axis]) return;
      least += a.min[axis] * a.stride[axis];
      most += (a.max[axis] - 1) * a.stride[axis];
    }
    const auto origin = reinterpret_cast<std::intptr_t>(a.origin);
    first = origin + least * std::int64_t{p.element_bytes};
    end = origin + (most + 1) * std::int64_t{p.element_bytes};
  }
  bool meets(const address_span& o) const noexcept { return first < o.end && o.first < end; }
};

}  // namespace stretto::device
