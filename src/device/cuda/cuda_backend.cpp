#include "device/cuda/cuda_backend.hpp"

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/cuda_look.hpp"

namespace stretto::device {

namespace {

cuda::options options_of(const search& how) {
  cuda::options o;
  o.memory_bytes = how.memory_bytes;
  o.host_memory_bytes = how.host_memory_bytes;
  o.check = how.check;
  o.pool = how.pool;
  o.cache = how.cache;
  o.at_most = how.at_most;
  o.only = how.only;
  return o;
}

}  // namespace

backend cuda_backend() {
  return {.name = "cuda",
          .find = +[](const search& how) { return cuda::find(options_of(how)); },
          .thread_prefix = "cuda",  // "cuda-EvtHandlr" and others
          .look = +[](const search& how) { return cuda::look(options_of(how)); },
          .measure = +[](const search& how) { return cuda::measure(options_of(how)); }};
}

}  // namespace stretto::device
