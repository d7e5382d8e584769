// native_device.hpp - the driver's handles of a device of the runtime, for code that calls the driver itself.
//
//     cl_mem buffer_that_stretto_can_use(place gpu, std::size_t bytes) {
//       const auto its = native_device_of(gpu);
//       if (!its || its->is != native_call::kind::opencl) return nullptr;
//       return clCreateBuffer(static_cast<cl_context>(its->context), CL_MEM_READ_WRITE, bytes, nullptr, nullptr);
//     }
//
// Threads     native_device_of: any thread of the runtime. The handles are valid while the runtime exists.
// Cost        two loads.
#pragma once

#include <stretto/native_kernel.hpp>
#include <stretto/place.hpp>

#include <optional>
#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

/// A device as its driver names it. Driver types are void*, because this header includes no driver headers.
struct native_device {
  native_call::kind is = native_call::kind::host;  ///< host: a simulated device, which has no driver
  void* device = nullptr;                          ///< OpenCL: cl_device_id
  void* context = nullptr;  ///< OpenCL: cl_context. CUDA: CUcontext, the primary context of the device
  place processor, memory;  ///< the two places of the device
};

/// The device whose processor or memory is this place; nothing for places of the host. Throws B20 on a thread of no
/// runtime.
std::optional<native_device> native_device_of(place p);

}  // namespace stretto

STRETTO_API_END
