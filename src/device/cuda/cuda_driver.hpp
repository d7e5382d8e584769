// cuda_driver.hpp - the state that all objects of one device share: its context, its compiler, reusable events and
// flags, and its failure.
//
// Threads     any.
// Cost        events are created once and reused; each flag has its own cache line.
// Invariants  a lost device stays lost: the driver repeats the error for every call.
#pragma once

#include <stretto/error.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "device/cuda/cuda_api.hpp"
#include "device/cuda/cuda_compiler.hpp"
#include "device/index_checks.hpp"
#include "device/kernel_cache.hpp"

namespace stretto::device::cuda {

/// A failed driver call; thrown to a caller that can interpret it.
struct refused {
  CUresult status;
  const char* call;
};

class driver {
 public:
  driver(std::shared_ptr<const api> cu, CUdevice id);  // retains the primary context; throws K43
  driver(const driver&) = delete;
  ~driver();

  const std::shared_ptr<const api> cu;
  const CUdevice id;
  // Set when the device is opened.
  CUcontext context = nullptr;
  std::shared_ptr<const compiler> nvrtc;
  std::string name, identity;  // identity includes versions and is part of the key of the kernel cache
  std::string architecture;    // "sm_80"
  int most_pitch = 0, most_local_bytes = 0;
  kernel_cache cache{{}};
  index_checks check_kernels = index_checks::off;  // whether kernels check their indices

  /// An event of the context without timing. Throws `refused`.
  CUevent acquire_event();
  void release_event(CUevent e) noexcept;

  /// A completion flag: a word with value 0 in page-locked host memory, which a stream can set and the host reads
  /// without a call. Null if this driver cannot do that. After release_flag nothing may set it.
  std::uint32_t* acquire_flag() noexcept;
  void release_flag(std::uint32_t* w) noexcept;
  /// Tests on a stream whether flags are set. Without this test, acquire_flag() returns null.
  void test_flags() noexcept;
  bool has_flags() const noexcept { return has_flags_; }

  /// The locks of kernels that contribute with a user-defined operator (kernel_text.hpp), allocated when the first
  /// such kernel is compiled. Throws K31, K43.
  CUdeviceptr locks();

  bool is_lost() const noexcept { return lost_.load(std::memory_order_acquire) != CUDA_SUCCESS; }
  /// True if the status means that the device is lost; records the loss.
  bool note_loss(CUresult status) noexcept;
  /// K31 with the driver's first fatal status.
  error lost() const;
  /// Throws K31 if the device is lost, K43 for other failures.
  void check(CUresult status, std::string_view call);

 private:
  std::atomic<CUresult> lost_{CUDA_SUCCESS};
  std::mutex mutex_;
  std::vector<CUevent> events_;
  bool has_flags_ = false;
  std::vector<std::uint32_t*> flags_;  // free flags
  std::vector<void*> pages_;           // page-locked memory of the flags
  CUdeviceptr locks_ = 0;
};

inline void need(CUresult status, const char* call) {
  if (status != CUDA_SUCCESS) throw refused{status, call};
}

}  // namespace stretto::device::cuda
