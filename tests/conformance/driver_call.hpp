// driver_call.hpp - a native kernel that notes what it is handed of the device: context, queue and the rest.
#pragma once

#include <stretto/native_kernel.hpp>

namespace stretto::test {

/// For one array, of which nothing is touched; `seen` is set by each launch.
inline native_kernel<void(kernels::inout<int>)> driver_call(native_call& seen) {
  const auto note = [&seen](const native_call& on, native_array<int>) { seen = on; };
  return native_kernel<void(kernels::inout<int>)>({.name = "driver_call", .host_calls = note, .opencl_calls = note, .cuda_calls = note});
}

}  // namespace stretto::test
