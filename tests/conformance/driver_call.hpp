// driver_call.hpp - a native kernel that records the driver's handles it receives: context, queue and others.
#pragma once

#include <stretto/native_kernel.hpp>

namespace stretto::test {

/// Takes one array and does not access it; each launch sets `seen`.
inline native_kernel<void(kernels::inout<int>)> driver_call(native_call& seen) {
  const auto note = [&seen](const native_call& on, native_array<int>) { seen = on; };
  return native_kernel<void(kernels::inout<int>)>(
      {.name = "driver_call", .host_calls = note, .opencl_calls = note, .cuda_calls = note});
}

}  // namespace stretto::test
