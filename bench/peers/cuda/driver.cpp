#include "peers/cuda/driver.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "common/measure.hpp"

namespace cuda {

namespace {

void* function_of(void* library, const char* symbol) {
  if (void* const found = dlsym(library, symbol)) return found;
  throw bench::unsupported(std::string("the CUDA library has no ") + symbol);
}

void* open_compiler() {
  std::vector<std::string> folders;
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const root = std::getenv(name); root && *root) folders.push_back(std::string(root) + "/lib64/");
  folders.insert(folders.end(), {"", "/usr/local/cuda/lib64/"});
  for (const std::string& folder : folders)
    for (const char* const name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"})
      if (void* const library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  throw bench::unsupported("no NVRTC was found (CUDA_HOME names the toolkit's folder)");
}

}  // namespace

const driver& driver::first() {
  static const driver d;
  return d;
}

driver::driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) throw bench::unsupported(std::string("no CUDA driver: ") + dlerror());
#define BENCH_FIND(name, suffix, parameters) \
  this->name = reinterpret_cast<decltype(this->name)>(function_of(library, #name #suffix));
  STRETTO_CUDA_DRIVER_FUNCTIONS(BENCH_FIND)
#undef BENCH_FIND
  check(cuInit(0), "cuInit");
  CUdevice device = 0;
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  CUcontext context = nullptr;
  check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cuCtxPushCurrent(context), "cuCtxPushCurrent");

  void* const compiler = open_compiler();
#define BENCH_FIND(name, suffix, parameters) \
  nvrtc_.name = reinterpret_cast<decltype(nvrtc_.name)>(function_of(compiler, #name #suffix));
  STRETTO_NVRTC_FUNCTIONS(BENCH_FIND)
#undef BENCH_FIND
  int major = 0, minor = 0, count = 0;
  check(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device), "cuDeviceGetAttribute");
  check(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device), "cuDeviceGetAttribute");
  nvrtc_.nvrtcGetNumSupportedArchs(&count);
  std::vector<int> known(static_cast<std::size_t>(std::max(count, 1)));
  if (nvrtc_.nvrtcGetSupportedArchs(known.data()) != NVRTC_SUCCESS || count < 1)
    throw bench::unsupported("NVRTC does not say what it compiles for");
  const int capability = 10 * major + minor;
  is_translated_ = std::ranges::find(known, capability) == known.end();
  int nearest = 0;
  for (const int a : known)
    if (a <= capability) nearest = std::max(nearest, a);
  if (nearest == 0)
    throw bench::unsupported("NVRTC compiles for no device as old as compute capability " + std::to_string(capability));
  architecture_ = (is_translated_ ? "--gpu-architecture=compute_" : "--gpu-architecture=sm_") + std::to_string(nearest);
}

void driver::check(CUresult status, const char* what) const {
  if (status == CUDA_SUCCESS) return;
  const char* name = nullptr;
  if (cuGetErrorName(status, &name) != CUDA_SUCCESS || !name) name = "an error without name";
  throw bench::unsupported(std::string(what) + " failed with " + name + " (" + std::to_string(status) + ")");
}

CUfunction driver::compile(const char* text, const char* name) const {
  nvrtcProgram p = nullptr;
  if (nvrtc_.nvrtcCreateProgram(&p, text, "kernel.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS)
    throw bench::unsupported("nvrtcCreateProgram failed");
  const char* const flags[] = {architecture_.c_str(), "--std=c++14"};
  if (nvrtc_.nvrtcCompileProgram(p, 2, flags) != NVRTC_SUCCESS) {
    std::size_t bytes = 0;
    nvrtc_.nvrtcGetProgramLogSize(p, &bytes);
    std::string log(bytes, '\0');
    nvrtc_.nvrtcGetProgramLog(p, log.data());
    throw bench::unsupported(std::string("kernel ") + name + " does not compile: " + log.c_str());
  }
  std::size_t bytes = 0;
  (is_translated_ ? nvrtc_.nvrtcGetPTXSize : nvrtc_.nvrtcGetCUBINSize)(p, &bytes);
  std::string image(bytes, '\0');
  (is_translated_ ? nvrtc_.nvrtcGetPTX : nvrtc_.nvrtcGetCUBIN)(p, image.data());
  nvrtc_.nvrtcDestroyProgram(&p);
  CUmodule module = nullptr;
  CUfunction f = nullptr;
  check(cuModuleLoadData(&module, image.data()), "cuModuleLoadData");
  check(cuModuleGetFunction(&f, module, name), "cuModuleGetFunction");
  return f;
}

memory::memory(std::size_t bytes) {
  const driver& d = driver::first();
  d.check(d.cuMemAlloc(&at, bytes), "cuMemAlloc");
}
memory::~memory() { driver::first().cuMemFree(at); }

locked_floats::locked_floats(std::size_t count, float value) {
  const driver& d = driver::first();
  void* at = nullptr;
  d.check(d.cuMemHostAlloc(&at, count * sizeof(float), memory_for_all_contexts), "cuMemHostAlloc");
  first_ = static_cast<float*>(at);
  std::fill_n(first_, count, value);
}
locked_floats::~locked_floats() { driver::first().cuMemFreeHost(first_); }

stream::stream() {
  const driver& d = driver::first();
  d.check(d.cuStreamCreate(&handle, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}
stream::~stream() { driver::first().cuStreamDestroy(handle); }
void stream::finish() const {
  const driver& d = driver::first();
  d.check(d.cuStreamSynchronize(handle), "cuStreamSynchronize");
}

}  // namespace cuda
