#include "device/opencl/opencl_backend.hpp"

#include "device/opencl/opencl_device.hpp"

namespace stretto::device {

backend opencl_backend() {
  return {"opencl", false, +[](const search& how) {
            return opencl::find({.memory_bytes = how.memory_bytes,
                                 .host_memory_bytes = how.host_memory_bytes,
                                 .pool = how.pool,
                                 .cache = how.cache,
                                 .at_most = how.at_most});
          }};
}

}  // namespace stretto::device
