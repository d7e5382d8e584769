#include "device/cuda/cuda_backend.hpp"

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/cuda_discovery.hpp"

namespace stretto::device {

backend cuda_backend() {
  return {.name = "cuda",
          .find = +[](const open_options& how) { return cuda::find(options_of<cuda::options>(how)); },
          .thread_prefix = "cuda",  // "cuda-EvtHandlr" and others
          .list_visible = +[](const open_options& how) { return cuda::list_visible(options_of<cuda::options>(how)); },
          .measure = +[](const open_options& how) { return cuda::measure(options_of<cuda::options>(how)); }};
}

}  // namespace stretto::device
