// Compares our declarations of CUDA with NVIDIA's; built only if its header is installed.
#include "device/cuda/cuda_abi.hpp"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

namespace stretto::device::cuda {

/// The sizes of a function's parameters, by the name that the binary has for it.
struct written_function {
  std::string symbol;
  std::vector<std::size_t> sizes;
};
template <class... P>
std::vector<std::size_t> sizes_of(int (*)(P...)) {
  return {sizeof(P)...};
}
// Before cuda.h, which makes macros of the names.
static const std::vector<written_function>& ours() {
#define STRETTO_OURS(name, suffix, parameters) {#name #suffix, sizes_of(driver_functions().name)},
  static const std::vector<written_function> all{STRETTO_CUDA_DRIVER_FUNCTIONS(STRETTO_OURS)};
#undef STRETTO_OURS
  return all;
}

}  // namespace stretto::device::cuda

#include <cuda.h>

namespace stretto::device::cuda {
namespace {

template <class... P>
std::vector<std::size_t> sizes_of_theirs(::CUresult (*)(P...)) {
  return {sizeof(P)...};
}

TEST_CASE("the functions that we call take what NVIDIA's header says") {
#define STRETTO_THEIRS(name, suffix, parameters)                                      \
  { #name #suffix, sizes_of_theirs(static_cast<decltype(&::name##suffix)>(nullptr)) } \
  ,
  const std::vector<written_function> theirs{STRETTO_CUDA_DRIVER_FUNCTIONS(STRETTO_THEIRS)};
#undef STRETTO_THEIRS
  REQUIRE(ours().size() == theirs.size());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    INFO(theirs[i].symbol);
    CHECK(ours()[i].symbol == theirs[i].symbol);
    CHECK(ours()[i].sizes == theirs[i].sizes);
  }
}

#define SAME(name) static_assert(static_cast<int>(cuda::name) == static_cast<int>(::name))
SAME(CUDA_SUCCESS);
SAME(CUDA_ERROR_OUT_OF_MEMORY);
SAME(CUDA_ERROR_DEINITIALIZED);
SAME(CUDA_ERROR_STUB_LIBRARY);
SAME(CUDA_ERROR_NO_DEVICE);
SAME(CUDA_ERROR_ECC_UNCORRECTABLE);
SAME(CUDA_ERROR_NVLINK_UNCORRECTABLE);
SAME(CUDA_ERROR_NOT_READY);
SAME(CUDA_ERROR_ILLEGAL_ADDRESS);
SAME(CUDA_ERROR_LAUNCH_TIMEOUT);
SAME(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
SAME(CUDA_ERROR_CONTEXT_IS_DESTROYED);
SAME(CUDA_ERROR_ASSERT);
SAME(CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME(CUDA_ERROR_LAUNCH_FAILED);
SAME(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
SAME(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
SAME(CUDA_ERROR_UNKNOWN);
SAME(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
SAME(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(CU_DEVICE_ATTRIBUTE_INTEGRATED);
SAME(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
SAME(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(CU_STREAM_NON_BLOCKING);
SAME(CU_EVENT_DISABLE_TIMING);
SAME(CU_MEMORYTYPE_HOST);
SAME(CU_MEMORYTYPE_DEVICE);
static_assert(memory_for_all_contexts == CU_MEMHOSTALLOC_PORTABLE);
static_assert(memory_for_kernels == CU_MEMHOSTALLOC_DEVICEMAP);

static_assert(peer_access_when_used == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);

static_assert(sizeof(cuda::CUuuid) == sizeof(::CUuuid));
static_assert(sizeof(cuda::CUipcMemHandle) == sizeof(::CUipcMemHandle));
static_assert(sizeof(cuda::CUDA_MEMCPY2D) == sizeof(::CUDA_MEMCPY2D_v2));
static_assert(sizeof(cuda::CUDA_MEMCPY3D_PEER) == sizeof(::CUDA_MEMCPY3D_PEER_v1) &&
              sizeof(::CUDA_MEMCPY3D_PEER_v1) == sizeof(::CUDA_MEMCPY3D_v2));
#define SAME_PLACE(ours, theirs, member) static_assert(offsetof(cuda::ours, member) == offsetof(::theirs, member))
SAME_PLACE(CUDA_MEMCPY2D, CUDA_MEMCPY2D_v2, srcHost);
SAME_PLACE(CUDA_MEMCPY2D, CUDA_MEMCPY2D_v2, srcDevice);
SAME_PLACE(CUDA_MEMCPY2D, CUDA_MEMCPY2D_v2, srcPitch);
SAME_PLACE(CUDA_MEMCPY2D, CUDA_MEMCPY2D_v2, dstMemoryType);
SAME_PLACE(CUDA_MEMCPY2D, CUDA_MEMCPY2D_v2, dstDevice);
SAME_PLACE(CUDA_MEMCPY2D, CUDA_MEMCPY2D_v2, dstPitch);
SAME_PLACE(CUDA_MEMCPY2D, CUDA_MEMCPY2D_v2, WidthInBytes);
SAME_PLACE(CUDA_MEMCPY2D, CUDA_MEMCPY2D_v2, Height);
SAME_PLACE(CUDA_MEMCPY3D_PEER, CUDA_MEMCPY3D_PEER_v1, srcHost);
SAME_PLACE(CUDA_MEMCPY3D_PEER, CUDA_MEMCPY3D_PEER_v1, srcContext);
SAME_PLACE(CUDA_MEMCPY3D_PEER, CUDA_MEMCPY3D_PEER_v1, srcHeight);
SAME_PLACE(CUDA_MEMCPY3D_PEER, CUDA_MEMCPY3D_PEER_v1, dstMemoryType);
SAME_PLACE(CUDA_MEMCPY3D_PEER, CUDA_MEMCPY3D_PEER_v1, dstDevice);
SAME_PLACE(CUDA_MEMCPY3D_PEER, CUDA_MEMCPY3D_PEER_v1, dstContext);
SAME_PLACE(CUDA_MEMCPY3D_PEER, CUDA_MEMCPY3D_PEER_v1, dstHeight);
SAME_PLACE(CUDA_MEMCPY3D_PEER, CUDA_MEMCPY3D_PEER_v1, Depth);

}  // namespace
}  // namespace stretto::device::cuda
