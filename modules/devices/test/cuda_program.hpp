// cuda_program.hpp - the calls of CUDA that a program makes itself, from the libraries of this machine: a stream,
// device memory, and a kernel that NVRTC compiles.
#pragma once

#include <dlfcn.h>
#include <stretto_devices/cuda_handles.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace stretto {

/// A function of a library; null without the library.
template <class F>
F* cuda_function(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return handle ? reinterpret_cast<F*>(dlsym(handle, name)) : nullptr;
}
template <class F>
F* driver_function(const char* name) {
  return cuda_function<F>("libcuda.so.1", name);
}

using device_address = unsigned long long;

class cuda_program {
 public:
  /// In the context of the device.
  explicit cuda_program(void* context) : context_(static_cast<CUcontext>(context)) {
    push();
    driver_function<int(CUstream*, unsigned)>("cuStreamCreate")(&stream, 1);
    pop();
  }
  ~cuda_program() {
    push();
    for (void* const m : modules_) driver_function<int(void*)>("cuModuleUnload")(m);
    driver_function<int(CUstream)>("cuStreamDestroy_v2")(stream);
    pop();
  }

  /// The kernel `name` of this text; null if it does not compile.
  CUfunction kernel(const char* name, const char* text) {
    const std::string image = compiled(text);
    void* loaded = nullptr;
    CUfunction f = nullptr;
    push();
    if (driver_function<int(void**, const void*)>("cuModuleLoadData")(&loaded, image.c_str()) == 0) {
      modules_.push_back(loaded);
      driver_function<int(CUfunction*, void*, const char*)>("cuModuleGetFunction")(&f, loaded, name);
    }
    pop();
    return f;
  }
  device_address allocate(std::size_t bytes) {
    device_address at = 0;
    push();
    driver_function<int(device_address*, std::size_t)>("cuMemAlloc_v2")(&at, bytes);
    pop();
    return at;
  }
  void free(device_address at) {
    push();
    driver_function<int(device_address)>("cuMemFree_v2")(at);
    pop();
  }
  void to_device(device_address to, const void* from, std::size_t bytes) {
    push();
    driver_function<int(device_address, const void*, std::size_t, CUstream)>("cuMemcpyHtoDAsync_v2")(to, from, bytes,
                                                                                                     stream);
    pop();
  }

  CUstream stream = nullptr;

 private:
  void push() { driver_function<int(CUcontext)>("cuCtxPushCurrent_v2")(context_); }
  void pop() {
    CUcontext popped = nullptr;
    driver_function<int(CUcontext*)>("cuCtxPopCurrent_v2")(&popped);
  }
  static std::string compiled(const char* text);

  const CUcontext context_;
  std::vector<void*> modules_;
};

inline std::string cuda_program::compiled(const char* text) {
  const char* const nvrtc = "libnvrtc.so.12";
  const char* const options[] = {"--gpu-architecture=compute_80"};
  void* program = nullptr;
  std::size_t bytes = 0;
  cuda_function<int(void**, const char*, const char*, int, const char* const*, const char* const*)>(
      nvrtc, "nvrtcCreateProgram")(&program, text, "kernel.cu", 0, nullptr, nullptr);
  cuda_function<int(void*, int, const char* const*)>(nvrtc, "nvrtcCompileProgram")(program, 1, options);
  cuda_function<int(void*, std::size_t*)>(nvrtc, "nvrtcGetPTXSize")(program, &bytes);
  std::string image(bytes, '\0');
  cuda_function<int(void*, char*)>(nvrtc, "nvrtcGetPTX")(program, image.data());
  cuda_function<int(void**)>(nvrtc, "nvrtcDestroyProgram")(&program);
  return image;
}

}  // namespace stretto
