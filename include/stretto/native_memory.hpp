// native_memory.hpp - device memory that the program allocated with the device's driver, for use by Stretto.
//
//     event clear_cuda_memory(place gpu_memory, std::size_t count) {
//       CUdeviceptr x;
//       cuMemAlloc(&x, count * sizeof(float));  // the program frees it
//       const native_memory its{.data = reinterpret_cast<void*>(x)};
//       const auto u = instance<float>::external(at(gpu_memory), its, box(0, std::int64_t(count)));
//       return fill(u, 0.0f);
//     }
//
// Threads     a value.
// Memory      belongs to the program, which frees it after the last operation that uses it. Work that the program
//             enqueued in its own streams or queues must have ended before Stretto uses the memory: give an event by
//             after(...).
#pragma once

#include <stretto/compiler.hpp>

#include <cstddef>

STRETTO_API_BEGIN

namespace stretto {

/// The address of an array, as the driver of its device names it.
struct native_memory {
  void* data = nullptr;          ///< CUDA: a CUdeviceptr. Simulated devices and the host: a host address
  void* buffer = nullptr;        ///< OpenCL: a cl_mem of the context that native kernels get (native_call::context)
  std::size_t offset_bytes = 0;  ///< of the first element, from data or from the start of the buffer
};

}  // namespace stretto

STRETTO_API_END
