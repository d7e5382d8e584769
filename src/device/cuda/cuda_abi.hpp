// cuda_abi.hpp - the types, constants and functions of CUDA's driver and of NVRTC that we use, as their binaries have
// them.
//
// Declared here because no machine that builds Stretto needs CUDA's headers. Names are CUDA's own; a test compares
// sizes and numbers with cuda.h where there is one.
//
// Threads     values.
// Source      the interface of the CUDA driver API, stable since 4.0, and of NVRTC since 11.2.
#pragma once

#include <cstddef>

namespace stretto::device::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUarray = struct CUarray_st*;
using nvrtcResult = int;
using nvrtcProgram = struct nvrtcProgram_st*;

enum : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_UNKNOWN = 999,

  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
  CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,

  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,

  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,

  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,

  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_COMPILATION = 6,
};
inline constexpr unsigned peer_access_when_used = 1;                            // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
inline constexpr unsigned memory_for_all_contexts = 1, memory_for_kernels = 2;  // CU_MEMHOSTALLOC_PORTABLE, _DEVICEMAP

/// Names a device, or a part of one, the world over.
struct CUuuid {
  unsigned char bytes[16] = {};
};

/// Names an allocation of a device to other processes of the host.
struct CUipcMemHandle {
  char reserved[64] = {};
};

struct CUDA_MEMCPY2D {
  std::size_t srcXInBytes = 0, srcY = 0;
  unsigned srcMemoryType = 0;
  const void* srcHost = nullptr;
  CUdeviceptr srcDevice = 0;
  CUarray srcArray = nullptr;
  std::size_t srcPitch = 0;
  std::size_t dstXInBytes = 0, dstY = 0;
  unsigned dstMemoryType = 0;
  void* dstHost = nullptr;
  CUdeviceptr dstDevice = 0;
  CUarray dstArray = nullptr;
  std::size_t dstPitch = 0;
  std::size_t WidthInBytes = 0, Height = 0;
};

/// Also CUDA_MEMCPY3D, whose reserved pointers lie where this has contexts.
struct CUDA_MEMCPY3D_PEER {
  std::size_t srcXInBytes = 0, srcY = 0, srcZ = 0, srcLOD = 0;
  unsigned srcMemoryType = 0;
  const void* srcHost = nullptr;
  CUdeviceptr srcDevice = 0;
  CUarray srcArray = nullptr;
  CUcontext srcContext = nullptr;
  std::size_t srcPitch = 0, srcHeight = 0;
  std::size_t dstXInBytes = 0, dstY = 0, dstZ = 0, dstLOD = 0;
  unsigned dstMemoryType = 0;
  void* dstHost = nullptr;
  CUdeviceptr dstDevice = 0;
  CUarray dstArray = nullptr;
  CUcontext dstContext = nullptr;
  std::size_t dstPitch = 0, dstHeight = 0;
  std::size_t WidthInBytes = 0, Height = 0, Depth = 0;
};

// One line per function: name, what the binary adds to it, parameters. From it come the pointer and its symbol.
#define STRETTO_CUDA_DRIVER_FUNCTIONS(X)                                                                  \
  X(cuInit, , (unsigned))                                                                                 \
  X(cuDriverGetVersion, , (int*))                                                                         \
  X(cuGetErrorName, , (CUresult, const char**))                                                           \
  X(cuGetErrorString, , (CUresult, const char**))                                                         \
  X(cuDeviceGetCount, , (int*))                                                                           \
  X(cuDeviceGet, , (CUdevice*, int))                                                                      \
  X(cuDeviceGetName, , (char*, int, CUdevice))                                                            \
  X(cuDeviceGetAttribute, , (int*, int, CUdevice))                                                        \
  X(cuDeviceCanAccessPeer, , (int*, CUdevice, CUdevice))                                                  \
  X(cuDevicePrimaryCtxRetain, , (CUcontext*, CUdevice))                                                   \
  X(cuDevicePrimaryCtxRelease, _v2, (CUdevice))                                                           \
  X(cuCtxPushCurrent, _v2, (CUcontext))                                                                   \
  X(cuCtxPopCurrent, _v2, (CUcontext*))                                                                   \
  X(cuCtxEnablePeerAccess, , (CUcontext, unsigned))                                                       \
  X(cuMemGetInfo, _v2, (std::size_t*, std::size_t*))                                                      \
  X(cuMemAlloc, _v2, (CUdeviceptr*, std::size_t))                                                         \
  X(cuMemFree, _v2, (CUdeviceptr))                                                                        \
  X(cuPointerGetAttribute, , (void*, int, CUdeviceptr))                                                   \
  X(cuMemHostAlloc, , (void**, std::size_t, unsigned))                                                    \
  X(cuMemFreeHost, , (void*))                                                                             \
  X(cuMemHostRegister, _v2, (void*, std::size_t, unsigned))                                               \
  X(cuMemHostUnregister, , (void*))                                                                       \
  X(cuMemcpyHtoDAsync, _v2, (CUdeviceptr, const void*, std::size_t, CUstream))                            \
  X(cuMemcpyDtoHAsync, _v2, (void*, CUdeviceptr, std::size_t, CUstream))                                  \
  X(cuMemcpyDtoDAsync, _v2, (CUdeviceptr, CUdeviceptr, std::size_t, CUstream))                            \
  X(cuMemcpyPeerAsync, , (CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, std::size_t, CUstream))         \
  X(cuMemcpy2DAsync, _v2, (const CUDA_MEMCPY2D*, CUstream))                                               \
  X(cuMemcpy3DAsync, _v2, (const CUDA_MEMCPY3D_PEER*, CUstream))                                          \
  X(cuMemcpy3DPeerAsync, , (const CUDA_MEMCPY3D_PEER*, CUstream))                                         \
  X(cuMemsetD8Async, , (CUdeviceptr, unsigned char, std::size_t, CUstream))                               \
  X(cuMemsetD16Async, , (CUdeviceptr, unsigned short, std::size_t, CUstream))                             \
  X(cuMemsetD32Async, , (CUdeviceptr, unsigned, std::size_t, CUstream))                                   \
  X(cuMemsetD2D8Async, , (CUdeviceptr, std::size_t, unsigned char, std::size_t, std::size_t, CUstream))   \
  X(cuMemsetD2D16Async, , (CUdeviceptr, std::size_t, unsigned short, std::size_t, std::size_t, CUstream)) \
  X(cuMemsetD2D32Async, , (CUdeviceptr, std::size_t, unsigned, std::size_t, std::size_t, CUstream))       \
  X(cuStreamCreate, , (CUstream*, unsigned))                                                              \
  X(cuStreamDestroy, _v2, (CUstream))                                                                     \
  X(cuStreamSynchronize, , (CUstream))                                                                    \
  X(cuStreamQuery, , (CUstream))                                                                          \
  X(cuStreamWaitEvent, , (CUstream, CUevent, unsigned))                                                   \
  X(cuEventCreate, , (CUevent*, unsigned))                                                                \
  X(cuEventDestroy, _v2, (CUevent))                                                                       \
  X(cuEventRecord, , (CUevent, CUstream))                                                                 \
  X(cuEventQuery, , (CUevent))                                                                            \
  X(cuModuleLoadData, , (CUmodule*, const void*))                                                         \
  X(cuModuleUnload, , (CUmodule))                                                                         \
  X(cuModuleGetFunction, , (CUfunction*, CUmodule, const char*))                                          \
  X(cuFuncGetAttribute, , (int*, int, CUfunction))                                                        \
  X(cuFuncSetAttribute, , (CUfunction, int, int))                                                         \
  X(cuLaunchKernel, ,                                                                                     \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**))

#define STRETTO_NVRTC_FUNCTIONS(X)                                                                                \
  X(nvrtcVersion, , (int*, int*))                                                                                 \
  X(nvrtcCreateProgram, , (nvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*)) \
  X(nvrtcDestroyProgram, , (nvrtcProgram*))                                                                       \
  X(nvrtcCompileProgram, , (nvrtcProgram, int, const char* const*))                                               \
  X(nvrtcGetProgramLogSize, , (nvrtcProgram, std::size_t*))                                                       \
  X(nvrtcGetProgramLog, , (nvrtcProgram, char*))                                                                  \
  X(nvrtcGetCUBINSize, , (nvrtcProgram, std::size_t*))                                                            \
  X(nvrtcGetCUBIN, , (nvrtcProgram, char*))                                                                       \
  X(nvrtcGetPTXSize, , (nvrtcProgram, std::size_t*))                                                              \
  X(nvrtcGetPTX, , (nvrtcProgram, char*))                                                                         \
  X(nvrtcGetNumSupportedArchs, , (int*))                                                                          \
  X(nvrtcGetSupportedArchs, , (int*))

/// Pointers to the functions of a list. nvrtcGetErrorString is left out: it returns text, and codes have names enough.
#define STRETTO_CUDA_POINTER(name, suffix, parameters) int(*name) parameters = nullptr;
struct driver_functions {
  STRETTO_CUDA_DRIVER_FUNCTIONS(STRETTO_CUDA_POINTER)
};
struct nvrtc_functions {
  STRETTO_NVRTC_FUNCTIONS(STRETTO_CUDA_POINTER)
};
#undef STRETTO_CUDA_POINTER

}  // namespace stretto::device::cuda
