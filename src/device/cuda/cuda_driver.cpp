#include "device/cuda/cuda_driver.hpp"

#include <fmt/format.h>

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
    if (locks_) cu->cuMemFree(locks_);
  }
  cu->cuDevicePrimaryCtxRelease(id);
}

CUevent driver::take_event() {
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

void driver::give_event(CUevent e) noexcept {
  if (!e) return;
  std::scoped_lock lock(mutex_);
  events_.push_back(e);
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

bool driver::ends_with(CUresult status) noexcept {
  if (!is_fatal(status)) return false;
  CUresult none = CUDA_SUCCESS;
  lost_.compare_exchange_strong(none, status, std::memory_order_acq_rel);
  return true;
}

error driver::lost() const {
  return error("K31", fmt::format("device \"{}\" was lost", name))
      .because(cu->name_of(lost_.load(std::memory_order_acquire)))
      .remedy("run its kernels on the host with STRETTO_CHECK=1 to find a fault in one; a new process may use the device again");
}

void driver::check(CUresult status, std::string_view call) {
  if (ends_with(status)) throw lost();
  cu->check(status, call);
}

}  // namespace stretto::device::cuda
