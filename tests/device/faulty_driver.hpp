// faulty_driver.hpp - devices of the faulty OpenCL library, and its faults.
#pragma once

#include <dlfcn.h>

#include <cstdio>

#include "device/drivers/faulty_opencl.hpp"
#include "device/opencl/opencl_device.hpp"

namespace stretto::test {

#ifdef STRETTO_FAULTY_OPENCL
constexpr const char* faulty_library = STRETTO_FAULTY_OPENCL;
#else
constexpr const char* faulty_library = "no library of this machine to make faulty";
#endif

/// The faults last as long as this does.
class faulty_driver {
 public:
  faulty_driver() = default;
  faulty_driver(const faulty_driver&) = delete;
  ~faulty_driver() {
    if (is_there()) function<decltype(faulty_opencl_mend)>("faulty_opencl_mend")();
  }

  /// Says once why not.
  static bool is_there() {
    static const bool there = [] {
      const auto all =
          device::opencl::find({.library = faulty_library, .memory_bytes = 1 << 20, .cache = {}, .at_most = 1});
      if (!all.front().is) std::fprintf(stderr, "no test of faulty OpenCL drivers: %s\n", all.front().reason.c_str());
      return all.front().is != nullptr;
    }();
    return there;
  }
  static device::opened_device find(bool pool = true) {
    return std::move(device::opencl::find(
                         {.library = faulty_library, .memory_bytes = 1 << 20, .pool = pool, .cache = {}, .at_most = 1})
                         .front());
  }

  void fail(const char* call, long after, int status, bool lasts = false) {
    function<decltype(faulty_opencl_set)>("faulty_opencl_set")(call, after, status, lasts);
  }
  void take_memory_late(unsigned long long bytes) {
    function<decltype(faulty_opencl_lazy)>("faulty_opencl_lazy")(bytes);
  }
  void claim_version(const char* text) { function<decltype(faulty_opencl_version)>("faulty_opencl_version")(text); }

 private:
  template <class F>
  static F* function(const char* name) {
    return reinterpret_cast<F*>(dlsym(dlopen(faulty_library, RTLD_NOW | RTLD_LOCAL), name));
  }
};

}  // namespace stretto::test
