#include "cuda_library.hpp"

#include <dlfcn.h>

#include "engine.hpp"

namespace stretto::devices {
namespace {

cuda_library load() {
  // Never closed: threads of the driver run its code until the process ends.
  void* const handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw not_usable("CUDA", dlerror(),
                     "install NVIDIA's driver, if the machine has such a device; containers need --gpus all");
  cuda_library made;
#define STRETTO_FIND(name, suffix, parameters)                                                     \
  if (made.name = reinterpret_cast<decltype(made.name)>(dlsym(handle, #name #suffix)); !made.name) \
    throw not_usable("CUDA", "the driver has no " #name #suffix, "install NVIDIA's driver for CUDA 11.4 or newer");
  STRETTO_CUDA_MODULE_FUNCTIONS(STRETTO_FIND)
#undef STRETTO_FIND
  return made;
}

}  // namespace

const cuda_library& cuda_library::get() {
  static const cuda_library loaded = load();
  return loaded;
}

std::string cuda_library::name_of(int status) const {
  const char* name = nullptr;
  const std::string number = std::to_string(status);
  return cuGetErrorName(status, &name) == cuda_success && name ? name + (" (" + number + ")") : "CUDA error " + number;
}

void cuda_library::check(std::string_view call, int status) const {
  if (status != cuda_success) throw refused("CUDA", call, "it returned " + name_of(status));
}

current_cuda_context::current_cuda_context(CUcontext c) {
  const cuda_library& cu = cuda_library::get();
  cu.check("cuCtxPushCurrent", cu.cuCtxPushCurrent(c));
}
current_cuda_context::~current_cuda_context() {
  CUcontext popped = nullptr;
  cuda_library::get().cuCtxPopCurrent(&popped);
}

}  // namespace stretto::devices
