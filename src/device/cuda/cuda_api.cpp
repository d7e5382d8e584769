#include "device/cuda/cuda_api.hpp"

#include <stretto/error.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "device/driver_verdict.hpp"

namespace stretto::device::cuda {

namespace {

constexpr int oldest_version = 11020;

/// A status of cuInit, its cause and its remedy.
struct refusal {
  CUresult status;
  const char *reason, *remedy;
};
constexpr std::array<refusal, 6> refusals{{
    {CUDA_ERROR_NO_DEVICE, "no device can be used",
     "check with nvidia-smi; CUDA_VISIBLE_DEVICES may hide devices, and containers need --gpus all"},
    {CUDA_ERROR_STUB_LIBRARY, "it is the stub to link against, not a driver",
     "take the toolkit's folder \"stubs\" out of LD_LIBRARY_PATH"},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "library and kernel module are of different versions",
     "restart the machine: its driver was updated"},
    {CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, "this compatibility library is not for the device",
     "take CUDA's folder \"compat\" out of LD_LIBRARY_PATH"},
    {CUDA_ERROR_OUT_OF_MEMORY, "no memory is left", "see with nvidia-smi which program holds it"},
    {CUDA_ERROR_UNKNOWN, "the driver does not say why",
     "look with nvidia-smi; modprobe nvidia_uvm, or restart the machine"},
}};

}  // namespace

void* open_library(const std::string& library, const std::string& remedy) {
  // Never closed: threads and memory of the driver must not lose their code.
  if (void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  throw error("K42", fmt::format("the CUDA library \"{}\" cannot be opened", library))
      .because(dlerror())
      .remedy(remedy);
}

void* function_of(void* handle, const char* symbol, const std::string& library, const std::string& remedy) {
  if (void* const found = dlsym(handle, symbol)) return found;
  throw error("K42", fmt::format("the CUDA library \"{}\" is too old, or another library", library))
      .because(fmt::format("it has no {}", symbol))
      .remedy(remedy);
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::shared_ptr<const api> api::load(const std::string& library) {
  if (const auto fault = fault_of_driver("cuda", library))
    throw error("K42", fmt::format("the CUDA driver \"{}\" is broken", fault->driver))
        .because(fault->reason)
        .remedy("check with nvidia-smi whether the driver works; once it does, run: stretto doctor");
  const std::string newer = fmt::format("install NVIDIA's driver for CUDA {} or newer", version_text(oldest_version));
  void* const handle =
      open_library(library, "install NVIDIA's driver, if the machine has such a device; containers need --gpus all");
  const auto made = std::make_shared<api>();
#define STRETTO_FIND(name, suffix, parameters) \
  made->name = reinterpret_cast<decltype(made->name)>(function_of(handle, #name #suffix, library, newer));
  STRETTO_CUDA_DRIVER_FUNCTIONS(STRETTO_FIND)
#undef STRETTO_FIND
  made->cuFuncGetParamInfo = reinterpret_cast<decltype(made->cuFuncGetParamInfo)>(dlsym(handle, "cuFuncGetParamInfo"));
  made->cuStreamWriteValue32 =
      reinterpret_cast<decltype(made->cuStreamWriteValue32)>(dlsym(handle, "cuStreamWriteValue32_v2"));
  for (const char* uuid : {"cuDeviceGetUuid_v2", "cuDeviceGetUuid"})
    if (!made->cuDeviceGetUuid)
      made->cuDeviceGetUuid = reinterpret_cast<decltype(made->cuDeviceGetUuid)>(dlsym(handle, uuid));
  made->cuDeviceGetPCIBusId =
      reinterpret_cast<decltype(made->cuDeviceGetPCIBusId)>(dlsym(handle, "cuDeviceGetPCIBusId"));
  made->cuIpcGetMemHandle = reinterpret_cast<decltype(made->cuIpcGetMemHandle)>(dlsym(handle, "cuIpcGetMemHandle"));
  made->cuIpcOpenMemHandle =
      reinterpret_cast<decltype(made->cuIpcOpenMemHandle)>(dlsym(handle, "cuIpcOpenMemHandle_v2"));
  made->cuIpcCloseMemHandle =
      reinterpret_cast<decltype(made->cuIpcCloseMemHandle)>(dlsym(handle, "cuIpcCloseMemHandle"));
  if (const CUresult status = made->cuInit(0); status != CUDA_SUCCESS) {
    const refusal* known = nullptr;
    for (const refusal& r : refusals)
      if (r.status == status) known = &r;
    throw error("K42", fmt::format("the CUDA library \"{}\" cannot be used{}{}", library, known ? ": " : "",
                                   known ? known->reason : ""))
        .because(fmt::format("cuInit says {}", made->name_of(status)))
        .remedy(known ? known->remedy : "check with nvidia-smi whether the driver works");
  }
  made->check(made->cuDriverGetVersion(&made->version), "cuDriverGetVersion");
  if (made->version < oldest_version)
    throw error("K42", fmt::format("the CUDA library \"{}\" is too old", library))
        .because(fmt::format("it belongs to CUDA {}", version_text(made->version)))
        .remedy(newer);
  return made;
}

std::string api::name_of(CUresult status) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(status, &name) != CUDA_SUCCESS || !name) return fmt::format("CUDA error {}", status);
  if (cuGetErrorString(status, &text) != CUDA_SUCCESS || !text) return fmt::format("{} ({})", name, status);
  return fmt::format("{} ({}): {}", name, status, text);
}

void api::check(CUresult status, std::string_view call) const {
  if (status == CUDA_SUCCESS) return;
  throw error("K43", fmt::format("the CUDA driver refused {}", call)).because(name_of(status));
}

bool is_fatal(CUresult status) noexcept {
  switch (status) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_UNKNOWN: return true;
    // Faults of stack, instruction, alignment, address space and program counter, and unspecified ones.
    default: return status >= CUDA_ERROR_HARDWARE_STACK_ERROR && status <= CUDA_ERROR_LAUNCH_FAILED;
  }
}

}  // namespace stretto::device::cuda
