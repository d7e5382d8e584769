// fake_driver.hpp - the driver that the tests bring with them, as the backend of CUDA loads it, and its faults.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "device/cuda/cuda_device.hpp"
#include "device/drivers/fake_cuda.hpp"
#include "temporary_folder.hpp"

namespace stretto::test {

/// Kernels are compiled once for all tests of a run.
inline device::cuda::options fake_driver_options() {
  static const temporary_folder cache;
  return {.library = STRETTO_FAKE_CUDA,
          .compiler = STRETTO_FAKE_NVRTC,
          .memory_bytes = 64 << 20,
          .host_memory_bytes = 1 << 20,
          .cache = cache.path};
}

/// Sets what the fake driver does while it lives, and back.
class fake_driver {
 public:
  using setting = std::pair<const char*, long>;
  fake_driver(std::initializer_list<setting> settings = {}) {
    for (const auto& [what, value] : settings) set(what, value);
  }
  fake_driver(const fake_driver&) = delete;
  ~fake_driver() {
    for (const char* what : {"init", "retain", "alloc", "stream", "pinned", "write", "launch", "fault", "pitch"})
      set(what, 0);
    set("devices", 2), set("memory", 256l << 20), set("version", 12040), set("capability", 80), set("peers", 1);
  }

  void set(const char* what, long value) { function<device::cuda::fake_cuda_set_type>("fake_cuda_set")(what, value); }
  long get(const char* what) { return function<device::cuda::fake_cuda_get_type>("fake_cuda_get")(what); }

 private:
  template <class F>
  F* function(const char* name) {
    return reinterpret_cast<F*>(dlsym(dlopen(STRETTO_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL), name));
  }
};

}  // namespace stretto::test
