// fake_cuda.cpp - the driver's devices, contexts, memory and modules, over the host's.
//
// Threads     any.
#include "fake_cuda.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "fake_state.hpp"

namespace stretto::device::cuda {

namespace {

/// The content of an exported handle.
struct exported_allocation {
  int process = 0, file = -1;
  long number = 0;
  std::size_t bytes = 0;
};
static_assert(sizeof(exported_allocation) <= sizeof(CUipcMemHandle));

std::string name_of_file(long number) { return "fake-cuda-" + std::to_string(number); }

}  // namespace

extern "C" {

void fake_cuda_set(const char* what, long value) {
  std::scoped_lock lock(all().mutex);
  all().settings[what] = value;
}
long fake_cuda_get(const char* what) {
  whole_driver& d = all();
  std::scoped_lock lock(d.mutex);
  if (std::strcmp(what, "live") != 0) return d.counts[what];
  long live = static_cast<long>(d.handles.size() + d.memory.size());
  for (const CUctx_st& c : d.contexts) live += c.retained;
  return live;
}

int cuInit(unsigned flags) {
  std::scoped_lock lock(all().mutex);
  if (flags) return misused(invalid_value);
  if (const long status = all().setting("init")) return static_cast<int>(status);
  all().initialized = true;
  return CUDA_SUCCESS;
}
int cuDriverGetVersion(int* version) {
  std::scoped_lock lock(all().mutex);
  return *version = static_cast<int>(all().setting("version")), CUDA_SUCCESS;
}
int cuGetErrorName(CUresult status, const char** name) {
  // Never destroyed: a device may be closed after all statics.
  static const auto& names = *new std::map<int, const char*>{{1, "CUDA_ERROR_INVALID_VALUE"},
                                                             {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                             {34, "CUDA_ERROR_STUB_LIBRARY"},
                                                             {100, "CUDA_ERROR_NO_DEVICE"},
                                                             {200, "CUDA_ERROR_INVALID_IMAGE"},
                                                             {201, "CUDA_ERROR_INVALID_CONTEXT"},
                                                             {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                                             {400, "CUDA_ERROR_INVALID_HANDLE"},
                                                             {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                             {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                                                             {719, "CUDA_ERROR_LAUNCH_FAILED"},
                                                             {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
                                                             {999, "CUDA_ERROR_UNKNOWN"}};
  const auto at = names.find(status);
  *name = at == names.end() ? nullptr : at->second;
  return *name ? CUDA_SUCCESS : invalid_value;
}
int cuGetErrorString(CUresult status, const char** text) {
  *text = status == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : nullptr;
  return *text ? CUDA_SUCCESS : invalid_value;
}

int cuDeviceGetCount(int* count) {
  std::scoped_lock lock(all().mutex);
  if (!all().initialized) return misused(not_initialized);
  return *count = static_cast<int>(visible_devices().size()), CUDA_SUCCESS;
}
int cuDeviceGet(CUdevice* device, int ordinal) {
  std::scoped_lock lock(all().mutex);
  const std::vector<CUdevice> visible = visible_devices();
  if (ordinal < 0 || ordinal >= static_cast<int>(visible.size())) return misused(invalid_device);
  return *device = visible[static_cast<std::size_t>(ordinal)], CUDA_SUCCESS;
}
int cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  std::snprintf(reinterpret_cast<char*>(uuid->bytes), sizeof uuid->bytes, "GPU-fake-%d", device);
  return CUDA_SUCCESS;
}
int cuDeviceGetPCIBusId(char* text, int bytes, CUdevice device) {
  return std::snprintf(text, static_cast<std::size_t>(bytes), "FFFF:F%d:00.0", device),
         CUDA_SUCCESS;  // which no system has
}
int cuDeviceGetName(char* name, int bytes, CUdevice device) {
  return std::snprintf(name, static_cast<std::size_t>(bytes), "Fake GPU %d", device), CUDA_SUCCESS;
}
int cuDeviceGetAttribute(int* value, int which, CUdevice) {
  std::scoped_lock lock(all().mutex);
  const int capability = static_cast<int>(all().setting("capability"));
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 48 << 10; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 99 << 10; break;
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH: *value = 1 << 20; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: *value = 2; break;
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: *value = 1; break;
    case CU_DEVICE_ATTRIBUTE_INTEGRATED: *value = 0; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = capability / 10; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = capability % 10; break;
    default: return misused(invalid_value);
  }
  return CUDA_SUCCESS;
}
int cuDeviceCanAccessPeer(int* can, CUdevice from, CUdevice to) {
  std::scoped_lock lock(all().mutex);
  return *can = from != to && all().setting("peers") != 0, CUDA_SUCCESS;
}

int cuDevicePrimaryCtxRetain(CUcontext* made, CUdevice device) {
  std::scoped_lock lock(all().mutex);
  if (const long status = all().setting("retain")) return static_cast<int>(status);
  CUctx_st& c = all().contexts[device];
  if (!c.retained++) c.device = device, c.lost = CUDA_SUCCESS, c.opened.clear();  // after a reset a device works again
  return *made = &c, CUDA_SUCCESS;
}
int cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  std::scoped_lock lock(all().mutex);
  if (!all().contexts[device].retained) return misused(no_context);
  return --all().contexts[device].retained, CUDA_SUCCESS;
}
int cuCtxPushCurrent_v2(CUcontext c) {
  std::scoped_lock lock(all().mutex);
  if (!c || !c->retained) return misused(no_context);
  if (current.is_full()) return misused(invalid_value);  // a caller forgets to pop
  return current.push_back(c), CUDA_SUCCESS;
}
int cuCtxPopCurrent_v2(CUcontext* c) {
  std::scoped_lock lock(all().mutex);
  if (current.empty()) return misused(no_context);
  *c = current.back();
  current.pop_back();
  return CUDA_SUCCESS;
}
int cuCtxEnablePeerAccess(CUcontext to, unsigned flags) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of_caller(c)) return status;
  if (flags || to == c) return misused(invalid_value);
  if (!all().setting("peers")) return peer_unsupported;
  return c->opened.insert(to).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of_caller(c)) return status;
  *total = *free = static_cast<std::size_t>(all().setting("memory"));
  for (const auto& [at, a] : all().memory) *free -= a.context == c && !a.opened ? a.bytes : 0;
  return CUDA_SUCCESS;
}
int cuMemAlloc_v2(CUdeviceptr* made, std::size_t bytes) {
  std::size_t free = 0, total = 0;
  if (const int status = cuMemGetInfo_v2(&free, &total)) return status;
  std::scoped_lock lock(all().mutex);
  if (const long status = all().setting("alloc")) return static_cast<int>(status);
  if (!bytes) return misused(invalid_value);
  if (bytes > free) return CUDA_ERROR_OUT_OF_MEMORY;
  const long number = ++all().counts["allocated"];
  const int file = memfd_create(name_of_file(number).c_str(), MFD_CLOEXEC);
  void* const at = file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0
                       ? MAP_FAILED
                       : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (at == MAP_FAILED) return ::close(file), CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(at, 0xa5, std::min<std::size_t>(bytes, 1 << 20));
  *made = reinterpret_cast<std::uintptr_t>(at);
  all().memory[*made] = {.bytes = bytes, .context = current.back(), .file = file, .number = number};
  return CUDA_SUCCESS;
}
int cuMemFree_v2(CUdeviceptr at) {
  std::scoped_lock lock(all().mutex);
  const auto found = all().memory.find(at);
  if (found == all().memory.end() || !found->second.context || found->second.opened) return misused(invalid_value);
  munmap(pointer(at), found->second.bytes);
  if (flock(found->second.file, LOCK_EX | LOCK_NB) != 0) misused(invalid_value);  // another process still has it open
  ::close(found->second.file);
  all().memory.erase(found);
  return CUDA_SUCCESS;
}
int cuIpcGetMemHandle(CUipcMemHandle* made, CUdeviceptr at) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of_caller(c)) return status;
  const auto found = all().memory.find(at);
  if (found == all().memory.end() || !found->second.context || found->second.opened) return misused(invalid_value);
  const exported_allocation is{getpid(), found->second.file, found->second.number, found->second.bytes};
  std::memcpy(made->reserved, &is, sizeof is);
  return CUDA_SUCCESS;
}
int cuIpcOpenMemHandle_v2(CUdeviceptr* at, CUipcMemHandle handle, unsigned flags) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of_caller(c)) return status;
  if (flags != peer_access_when_used) return misused(invalid_value);
  if (std::getenv("FAKE_CUDA_OPENS_NOTHING")) return not_supported;
  exported_allocation is;
  std::memcpy(&is, handle.reserved, sizeof is);
  if (is.process == getpid()) return no_context;  // its own memory
  for (auto& [first, a] : all().memory)
    if (a.opened && a.context == c && a.number == is.number && a.process == is.process)
      return ++a.opened, *at = first, CUDA_SUCCESS;
  const std::string path = "/proc/" + std::to_string(is.process) + "/fd/" + std::to_string(is.file);
  std::error_code none;
  if (std::filesystem::read_symlink(path, none).string().rfind("/memfd:" + name_of_file(is.number) + " ", 0) != 0)
    return invalid_value;  // it was freed
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* const there =
      file < 0 ? MAP_FAILED : mmap(nullptr, is.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (there == MAP_FAILED || flock(file, LOCK_SH | LOCK_NB) != 0) return ::close(file), not_supported;
  *at = reinterpret_cast<std::uintptr_t>(there);
  all().memory[*at] = {
      .bytes = is.bytes, .context = c, .file = file, .number = is.number, .process = is.process, .opened = 1};
  ++all().counts["opened"];
  return CUDA_SUCCESS;
}
int cuIpcCloseMemHandle(CUdeviceptr at) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  context_of_caller(c);
  const auto found = all().memory.find(at);
  if (found == all().memory.end() || !found->second.opened || found->second.context != c) return misused(invalid_value);
  if (--found->second.opened) return CUDA_SUCCESS;
  ::close(found->second.file);
  munmap(pointer(at), found->second.bytes);
  all().memory.erase(found);
  return CUDA_SUCCESS;
}
int cuPointerGetAttribute(void* value, int which, CUdeviceptr at) {
  std::scoped_lock lock(all().mutex);
  auto found = all().memory.upper_bound(at);
  if (found == all().memory.begin() || at >= (--found)->first + found->second.bytes) return invalid_value;
  const auto& [first, a] = *found;
  switch (which) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned*>(value) = a.context ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: {
      const std::vector<CUdevice> visible = visible_devices();
      *static_cast<int*>(value) =
          a.context ? static_cast<int>(std::ranges::find(visible, a.context->device) - visible.begin()) : 0;
      break;
    }
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *static_cast<CUdeviceptr*>(value) = first; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *static_cast<std::size_t*>(value) = a.bytes; break;
    default: return misused(invalid_value);
  }
  return CUDA_SUCCESS;
}
int cuMemHostAlloc(void** made, std::size_t bytes, unsigned flags) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of_caller(c)) return status;
  if ((flags & ~memory_for_kernels) != memory_for_all_contexts) return misused(invalid_value);
  if (const long status = all().setting("pinned")) return static_cast<int>(status);
  *made = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  all().memory[reinterpret_cast<std::uintptr_t>(*made)] = {bytes, nullptr};
  return CUDA_SUCCESS;
}
int cuMemFreeHost(void* at) {
  std::scoped_lock lock(all().mutex);
  const auto found = all().memory.find(reinterpret_cast<std::uintptr_t>(at));
  if (found == all().memory.end() || found->second.context || found->second.is_callers) return misused(invalid_value);
  free(at);
  all().memory.erase(found);
  return CUDA_SUCCESS;
}
int cuMemHostRegister_v2(void* at, std::size_t bytes, unsigned flags) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of_caller(c)) return status;
  const auto first = reinterpret_cast<std::uintptr_t>(at);
  if (flags != memory_for_all_contexts || !bytes || first % 4096 || bytes % 4096) return misused(invalid_value);
  if (const long status = all().setting("pinned")) return static_cast<int>(status);
  const auto after = all().memory.lower_bound(first);
  if (after != all().memory.end() && after->first < first + bytes) return already_registered;
  if (after != all().memory.begin() && std::prev(after)->first + std::prev(after)->second.bytes > first)
    return already_registered;
  all().memory[first] = {bytes, nullptr, true};
  ++all().counts["registered"];
  return CUDA_SUCCESS;
}
int cuMemHostUnregister(void* at) {
  std::scoped_lock lock(all().mutex);
  const auto found = all().memory.find(reinterpret_cast<std::uintptr_t>(at));
  if (found == all().memory.end() || !found->second.is_callers) return misused(invalid_value);
  all().memory.erase(found);
  return CUDA_SUCCESS;
}

int cuModuleLoadData(CUmodule* made, const void* image) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  if (const int status = context_of_caller(c)) return status;
  char architecture[32] = "";
  long bytes = 0;
  int begins = 0;
  const char* const text = static_cast<const char*>(image);
  if (std::sscanf(text, "FAKE %31s %ld%n", architecture, &bytes, &begins) != 2 || text[begins] != '\n')
    return invalid_image;
  const std::string named = architecture;
  if (named.rfind("sm_", 0) == 0 && named != "sm_" + std::to_string(all().setting("capability"))) return no_binary;
  std::string file = (std::filesystem::temp_directory_path() / "fake-cuda-XXXXXX").string();
  const int written = mkstemp(file.data());
  std::ofstream(file, std::ios::binary).write(text + begins + 1, bytes);
  void* const code = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::filesystem::remove(file);
  ::close(written);
  if (!code) return invalid_image;
  *made = new CUmod_st{c, code, {}};
  CUfunc_st& f = (*made)->function;
  f.module = *made;
  f.run = reinterpret_cast<decltype(f.run)>(dlsym(code, "fake_run"));
  f.count = *static_cast<const unsigned*>(dlsym(code, "fake_parameter_count"));
  f.sizes = *static_cast<const std::size_t* const*>(dlsym(code, "fake_parameter_sizes"));
  all().handles.insert(*made);
  all().handles.insert(&f);
  return CUDA_SUCCESS;
}
int cuModuleUnload(CUmodule m) {
  std::scoped_lock lock(all().mutex);
  CUcontext c = nullptr;
  context_of_caller(c);
  if (!all().handles.contains(m) || m->context != c) return misused(invalid_handle);
  all().handles.erase(m);
  all().handles.erase(&m->function);
  dlclose(m->code);
  delete m;
  return CUDA_SUCCESS;
}
int cuModuleGetFunction(CUfunction* found, CUmodule m, const char* name) {
  std::scoped_lock lock(all().mutex);
  if (!all().handles.contains(m)) return misused(invalid_handle);
  if (!dlsym(m->code, name)) return not_found;
  return *found = &m->function, CUDA_SUCCESS;
}
int cuFuncGetAttribute(int* value, int which, CUfunction f) {
  std::scoped_lock lock(all().mutex);
  if (!all().handles.contains(f)) return misused(invalid_handle);
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return *value = 1024, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: return *value = 0, CUDA_SUCCESS;
    default: return misused(invalid_value);
  }
}
int cuFuncGetParamInfo(CUfunction f, std::size_t n, std::size_t* offset, std::size_t* bytes) {
  std::scoped_lock lock(all().mutex);
  if (!all().handles.contains(f)) return misused(invalid_handle);
  if (n >= f->count) return invalid_value;
  *offset = 0, *bytes = f->sizes[n];
  return CUDA_SUCCESS;
}
int cuFuncSetAttribute(CUfunction f, int which, int value) {
  std::scoped_lock lock(all().mutex);
  if (!all().handles.contains(f)) return misused(invalid_handle);
  if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value > (99 << 10)) return misused(invalid_value);
  return f->most_dynamic = value, CUDA_SUCCESS;
}
}  // extern "C"

}  // namespace stretto::device::cuda
