// cuda_library.hpp - the functions of CUDA's driver that the module calls, from the library that is loaded at run time.
//
// Threads     loaded once; the functions may be called from any thread.
// Source      CUDA driver API: functions since CUDA 11.4, by the names in the library.
#pragma once

#include <stretto_devices/cuda_handles.hpp>

#include <string>
#include <string_view>

struct CUevent_st;
struct CUgraph_st;
struct CUgraphExec_st;

namespace stretto::devices {

using CUevent = CUevent_st*;
using CUgraph = CUgraph_st*;
using CUgraphExec = CUgraphExec_st*;

enum : int { cuda_success = 0, cuda_not_ready = 600 };
enum : unsigned { stream_non_blocking = 1, event_disable_timing = 2, capture_thread_local = 1 };

// One line per function: name, what the binary adds to it, parameters.
#define STRETTO_CUDA_MODULE_FUNCTIONS(X)                                                                          \
  X(cuGetErrorName, , (int, const char**))                                                                        \
  X(cuCtxPushCurrent, _v2, (CUcontext))                                                                           \
  X(cuCtxPopCurrent, _v2, (CUcontext*))                                                                           \
  X(cuStreamGetCtx, , (CUstream, CUcontext*))                                                                     \
  X(cuStreamCreate, , (CUstream*, unsigned))                                                                      \
  X(cuStreamDestroy, _v2, (CUstream))                                                                             \
  X(cuEventCreate, , (CUevent*, unsigned))                                                                        \
  X(cuEventDestroy, _v2, (CUevent))                                                                               \
  X(cuEventRecord, , (CUevent, CUstream))                                                                         \
  X(cuEventQuery, , (CUevent))                                                                                    \
  X(cuLaunchKernel, ,                                                                                             \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**)) \
  X(cuStreamBeginCapture, _v2, (CUstream, unsigned))                                                              \
  X(cuStreamEndCapture, , (CUstream, CUgraph*))                                                                   \
  X(cuGraphInstantiateWithFlags, , (CUgraphExec*, CUgraph, unsigned long long))                                   \
  X(cuGraphLaunch, , (CUgraphExec, CUstream))                                                                     \
  X(cuGraphDestroy, , (CUgraph))                                                                                  \
  X(cuGraphExecDestroy, , (CUgraphExec))

struct cuda_library {
#define STRETTO_POINTER(name, suffix, parameters) int(*name) parameters = nullptr;
  STRETTO_CUDA_MODULE_FUNCTIONS(STRETTO_POINTER)
#undef STRETTO_POINTER

  /// Loads the driver once. Throws M35 if it cannot be loaded, or lacks a function.
  static const cuda_library& get();
  /// Throws M34 unless the call succeeded.
  void check(std::string_view call, int status) const;
  std::string name_of(int status) const;
};

/// A context is current on this thread while this lives.
class current_cuda_context {
 public:
  explicit current_cuda_context(CUcontext c);
  current_cuda_context(const current_cuda_context&) = delete;
  ~current_cuda_context();
};

}  // namespace stretto::devices
