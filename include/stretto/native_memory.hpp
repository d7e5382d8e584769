// native_memory.hpp - memory that a program has from a device's driver itself, or of the host.
//
//     CUdeviceptr x;
//     cuMemAlloc(&x, bytes);  // the program's, as before
//     const native_memory its{.data = reinterpret_cast<void*>(x)};
//     send_buffer(at_node(1), native_elements<float>{at(gpu_memory), its, count}, at(there), call(f));
//     const auto u = instance<float>::external(at(gpu_memory), its, box(0, count));  // for all else
//
// Threads     a value.
// Memory      stays the program's, which made it and frees it, and must outlive what uses it. What the program's own
//             work in streams or queues of its own wrote must have ended before Stretto reads it: an event says so
//             (after(...)).
#pragma once

#include <stretto/compiler.hpp>

#include <cstddef>

STRETTO_API_BEGIN

namespace stretto {

/// Where an array begins, as the driver of the memory's device names it.
struct native_memory {
  void* data =
      nullptr;  ///< CUDA: a CUdeviceptr. Simulated devices: memory of the host that stands for theirs. Host: an address
  void* buffer =
      nullptr;  ///< OpenCL: cl_mem, made in the context that native kernels are handed (native_call::context)
  std::size_t offset_bytes = 0;  ///< from there on
};

}  // namespace stretto

STRETTO_API_END
