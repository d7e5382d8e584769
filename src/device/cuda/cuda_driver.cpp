#include "device/cuda/cuda_driver.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <utility>

#include "device/kernel_text.hpp"

namespace stretto::device::cuda {

driver::driver(std::shared_ptr<const api> functions, CUdevice device) : cu(std::move(functions)), id(device) {
  cu->check(cu->cuDevicePrimaryCtxRetain(&context, id), "cuDevicePrimaryCtxRetain");
}

driver::~driver() {
  {
    const current_context current(*cu, context);
    for (const CUevent e : events_) cu->cuEventDestroy(e);
    for (void* const page : pages_) cu->cuMemFreeHost(page);
    if (locks_) cu->cuMemFree(locks_);
  }
  cu->cuDevicePrimaryCtxRelease(id);
}

CUevent driver::acquire_event() {
  {
    std::scoped_lock lock(mutex_);
    if (!events_.empty()) {
      const CUevent e = events_.back();
      events_.pop_back();
      return e;
    }
  }
  CUevent made = nullptr;
  need(cu->cuEventCreate(&made, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  return made;
}

void driver::release_event(CUevent e) noexcept {
  if (!e) return;
  std::scoped_lock lock(mutex_);
  events_.push_back(e);
}

std::uint32_t* driver::acquire_flag() noexcept {
  constexpr std::size_t page_bytes = 4096, line_bytes = 64;
  std::scoped_lock lock(mutex_);
  if (!has_flags_) return nullptr;
  if (flags_.empty()) {
    const current_context current(*cu, context);
    void* page = nullptr;
    if (cu->cuMemHostAlloc(&page, page_bytes, memory_for_all_contexts | memory_for_kernels) != CUDA_SUCCESS)
      return nullptr;
    std::memset(page, 0, page_bytes);
    pages_.push_back(page);
    for (std::size_t at = 0; at < page_bytes; at += line_bytes)
      flags_.push_back(reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(page) + at));
  }
  std::uint32_t* const w = flags_.back();
  flags_.pop_back();
  return w;
}

void driver::release_flag(std::uint32_t* w) noexcept {
  if (!w || is_lost()) return;  // a lost device may still write the flag
  std::scoped_lock lock(mutex_);
  *w = 0;
  flags_.push_back(w);
}

void driver::test_flags() noexcept {
  if (!cu->cuStreamWriteValue32) return;
  has_flags_ = true;
  const current_context current(*cu, context);
  std::uint32_t* const w = acquire_flag();
  CUstream stream = nullptr;
  const bool is_set = w && cu->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS &&
                      cu->cuStreamWriteValue32(stream, reinterpret_cast<std::uintptr_t>(w), 1, 0) == CUDA_SUCCESS &&
                      cu->cuStreamSynchronize(stream) == CUDA_SUCCESS &&
                      std::atomic_ref(*w).load(std::memory_order_acquire) == 1;
  if (stream) cu->cuStreamDestroy(stream);
  has_flags_ = is_set;
  release_flag(w);
}

CUdeviceptr driver::locks() {
  std::scoped_lock lock(mutex_);
  if (locks_) return locks_;
  const current_context current(*cu, context);
  CUdeviceptr made = 0;
  CUstream stream = nullptr;
  check(cu->cuMemAlloc(&made, lock_count * sizeof(unsigned)), "cuMemAlloc");
  CUresult status = cu->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  if (status == CUDA_SUCCESS) status = cu->cuMemsetD32Async(made, 0, lock_count, stream);
  if (status == CUDA_SUCCESS) status = cu->cuStreamSynchronize(stream);
  if (stream) cu->cuStreamDestroy(stream);
  if (status != CUDA_SUCCESS) cu->cuMemFree(made);
  check(status, "to make locks for kernels");
  return locks_ = made;
}

bool driver::note_loss(CUresult status) noexcept {
  if (!is_fatal(status)) return false;
  CUresult none = CUDA_SUCCESS;
  lost_.compare_exchange_strong(none, status, std::memory_order_acq_rel);
  return true;
}

error driver::lost() const {
  return error("K31", fmt::format("device \"{}\" was lost", name))
      .because(cu->name_of(lost_.load(std::memory_order_acquire)))
      .remedy(
          "run its kernels on the host with STRETTO_CHECK=1 to find a fault in one; a new process may use the device "
          "again");
}

void driver::check(CUresult status, std::string_view call) {
  if (note_loss(status)) throw lost();
  cu->check(status, call);
}

}  // namespace stretto::device::cuda
