// cuda_driver.hpp - what all objects of one device share: its context, its compiler, events and words to use again, its end.
//
// Threads     any.
// Cost        an event is made once and used again and again; a word has a cache line of its own.
// Invariants  once the device is lost it stays so: the driver repeats the error for ever.
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

/// A call that the driver did not take, on its way to whoever knows what that means.
struct refused {
  CUresult status;
  const char* call;
};

class driver {
 public:
  driver(std::shared_ptr<const api> cu, CUdevice id);  // retains the device's context; throws K43
  driver(const driver&) = delete;
  ~driver();

  const std::shared_ptr<const api> cu;
  const CUdevice id;
  // Set by who opens the device.
  CUcontext context = nullptr;
  std::shared_ptr<const compiler> nvrtc;
  std::string name, identity;  // the second with versions: part of the key of what is kept on disk
  std::string architecture;    // "sm_80"
  int most_pitch = 0, most_local_bytes = 0;
  kernel_cache cache{{}};
  index_checks check_kernels = index_checks::off;  // whether those look at their indices

  /// An event of the context, without time; throws `refused`.
  CUevent acquire_event();
  void release_event(CUevent e) noexcept;

  /// A word at 0, of page-locked memory of the host, which a stream may set and the host reads without a call; null where this driver
  /// cannot do that. Given back, nothing sets it any more.
  std::uint32_t* acquire_flag() noexcept;
  void release_flag(std::uint32_t* w) noexcept;
  /// Tries on a stream whether words are set: without, take_word() gives none.
  void test_flags() noexcept;
  bool has_flags() const noexcept { return has_flags_; }

  /// What kernels take that contribute behind locks (kernel_text.hpp), made when the first is compiled. Throws K31, K43.
  CUdeviceptr locks();

  bool is_lost() const noexcept { return lost_.load(std::memory_order_acquire) != CUDA_SUCCESS; }
  /// Whether the status ends the device, which is then remembered.
  bool ends_with(CUresult status) noexcept;
  /// K31 with what the driver said first.
  error lost() const;
  /// Throws K31 where the status ends the device, K43 where it is another refusal.
  void check(CUresult status, std::string_view call);

 private:
  std::atomic<CUresult> lost_{CUDA_SUCCESS};
  std::mutex mutex_;
  std::vector<CUevent> events_;
  bool has_flags_ = false;
  std::vector<std::uint32_t*> flags_;  // that nobody has
  std::vector<void*> pages_;           // in which they lie
  CUdeviceptr locks_ = 0;
};

inline void need(CUresult status, const char* call) {
  if (status != CUDA_SUCCESS) throw refused{status, call};
}

}  // namespace stretto::device::cuda
