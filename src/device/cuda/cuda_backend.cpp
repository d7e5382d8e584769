#include "device/cuda/cuda_backend.hpp"

#include "device/cuda/cuda_device.hpp"

namespace stretto::device {

backend cuda_backend() {
  return {"cuda", false, +[](const search& how) {
            cuda::options o;
            o.memory_bytes = how.memory_bytes;
            o.host_memory_bytes = how.host_memory_bytes;
            o.pool = how.pool;
            o.cache = how.cache;
            o.at_most = how.at_most;
            return cuda::find(o);
          }, "cuda"};  // "cuda-EvtHandlr" and others
}

}  // namespace stretto::device
