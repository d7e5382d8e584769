#include "device/cuda/cuda_backend.hpp"

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/cuda_discovery.hpp"

namespace stretto::device {

backend cuda_backend() {
  return {.name = "cuda",
          .find = +[](const search& how) { return cuda::find(options_of<cuda::options>(how)); },
          .thread_prefix = "cuda",  // "cuda-EvtHandlr" and others
          .look = +[](const search& how) { return cuda::look(options_of<cuda::options>(how)); },
          .measure = +[](const search& how) { return cuda::measure(options_of<cuda::options>(how)); }};
}

}  // namespace stretto::device
