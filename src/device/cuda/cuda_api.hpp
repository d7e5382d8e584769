// cuda_api.hpp - the functions of NVIDIA's driver library, loaded at run time, and the names of its errors.
//
// Threads     loaded once per library and kept; the functions may be called from any thread.
// Cost        a call is a call through a pointer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "device/cuda/cuda_abi.hpp"

namespace stretto::device::cuda {

struct api : driver_functions {
  /// Offset and size of a kernel parameter. Null before CUDA 12.4.
  int (*cuFuncGetParamInfo)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;
  /// Sets a word of device-accessible memory once all earlier operations of the stream have completed. Null before
  /// CUDA 11.7.
  int (*cuStreamWriteValue32)(CUstream, CUdeviceptr, std::uint32_t, unsigned) = nullptr;
  /// The UUID of a device, or of the visible part of it. Before CUDA 11.4 always that of the device. Null before CUDA
  /// 9.2.
  int (*cuDeviceGetUuid)(CUuuid*, CUdevice) = nullptr;
  int (*cuDeviceGetPCIBusId)(char*, int, CUdevice) = nullptr;
  /// Null if the driver or the system cannot share memory between processes.
  int (*cuIpcGetMemHandle)(CUipcMemHandle*, CUdeviceptr) = nullptr;
  int (*cuIpcOpenMemHandle)(CUdeviceptr*, CUipcMemHandle, unsigned) = nullptr;
  int (*cuIpcCloseMemHandle)(CUdeviceptr) = nullptr;
  int version = 0;  // 12040: CUDA 12.4

  /// Opens and initialises the library. Throws K42 with the loader's reason, the missing function, or the status of
  /// the initialisation.
  static std::shared_ptr<const api> load(const std::string& library);

  /// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
  std::string name_of(CUresult status) const;
  /// Throws K43 unless the call succeeded.
  void check(CUresult status, std::string_view call) const;
};

/// Opens a library; looks up a function by its name in the binary.
void* open_library(const std::string& library, const std::string& remedy);
void* function_of(void* handle, const char* symbol, const std::string& library, const std::string& remedy);

/// "12.4" of 12040.
std::string version_text(int version);

/// Whether the device is unusable in this process from now on: the driver repeats such an error for every call.
bool is_fatal(CUresult status) noexcept;

/// Makes a context the thread's current one, and restores the previous one. If that fails, later calls report it.
class current_context {
 public:
  current_context(const api& cu, CUcontext context) noexcept : status(cu.cuCtxPushCurrent(context)), cu_(cu) {}
  current_context(const current_context&) = delete;
  ~current_context() {
    CUcontext ours = nullptr;
    if (status == CUDA_SUCCESS) cu_.cuCtxPopCurrent(&ours);
  }

  const CUresult status;

 private:
  const api& cu_;
};

}  // namespace stretto::device::cuda
