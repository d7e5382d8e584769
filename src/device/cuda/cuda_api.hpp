// cuda_api.hpp - the functions of NVIDIA's driver library, found at run time, and what its errors are called.
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
  /// Of a parameter where and how long it is; null in drivers before CUDA 12.4.
  int (*cuFuncGetParamInfo)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;
  /// Of a word in memory that the device sees, what it is set to once all before has ended; null in drivers before CUDA 11.7.
  int (*cuStreamWriteValue32)(CUstream, CUdeviceptr, std::uint32_t, unsigned) = nullptr;
  /// Of a device, or of a part of it where only that is visible; in drivers before CUDA 11.4, of the device. Null before 9.2.
  int (*cuDeviceGetUuid)(CUuuid*, CUdevice) = nullptr;
  int (*cuDeviceGetPCIBusId)(char*, int, CUdevice) = nullptr;
  /// Null in drivers and on systems that share no memory between processes.
  int (*cuIpcGetMemHandle)(CUipcMemHandle*, CUdeviceptr) = nullptr;
  int (*cuIpcOpenMemHandle)(CUdeviceptr*, CUipcMemHandle, unsigned) = nullptr;
  int (*cuIpcCloseMemHandle)(CUdeviceptr) = nullptr;
  int version = 0;  // 12040: CUDA 12.4

  /// Opens and initialises the library. Throws K42 with the loader's reason, the function that it lacks, or what it said.
  static std::shared_ptr<const api> load(const std::string& library);

  /// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
  std::string name_of(CUresult status) const;
  /// Throws K43 unless the call succeeded.
  void check(CUresult status, std::string_view call) const;
};

/// What is looked up in a library, each under the name that the binary has for it.
void* open_library(const std::string& library, const std::string& remedy);
void* function_of(void* handle, const char* symbol, const std::string& library, const std::string& remedy);

/// "12.4" of 12040.
std::string version_text(int version);

/// Whether nothing works on the device any more in this process: the driver repeats such an error for ever.
bool is_fatal(CUresult status) noexcept;

/// Makes a context the thread's current one, and gives back the one before. Where that fails calls fail by themselves.
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
