#include "device/opencl/opencl_memory.hpp"

#include <fmt/format.h>

#include <mutex>

namespace stretto::device::opencl {

opencl_memory::opencl_memory(std::shared_ptr<driver> d, std::byte* first, std::uint64_t bytes, bool pool)
    : driver_(std::move(d)), first_(first), whole_(pool ? make(bytes) : nullptr) {}

opencl_memory::~opencl_memory() {
  for (const auto& [at, b] : blocks_) driver_->cl->clReleaseMemObject(b.buffer);
  if (whole_) driver_->cl->clReleaseMemObject(whole_);
}

cl_mem opencl_memory::make(std::uint64_t bytes) const {
  cl_int status = CL_SUCCESS;
  const cl_mem made = driver_->cl->clCreateBuffer(driver_->context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  driver_->check(status, fmt::format("a buffer of {} bytes", bytes));
  return made;
}

void opencl_memory::allocated(std::byte* first, std::uint64_t bytes) {
  if (whole_) return;
  const cl_mem made = make(bytes);
  std::scoped_lock lock(mutex_);
  blocks_.emplace(first, block{first + bytes, made});
}

void opencl_memory::freed(std::byte* first) noexcept {
  if (whole_) return;
  cl_mem gone = nullptr;
  {
    std::scoped_lock lock(mutex_);
    const auto found = blocks_.find(first);
    if (found == blocks_.end()) return;
    gone = found->second.buffer;
    blocks_.erase(found);
  }
  driver_->cl->clReleaseMemObject(gone);
}

located opencl_memory::at(const std::byte* address) const {
  if (host_first_ && address >= host_first_ && address < host_first_ + host_bytes_)
    return {host_buffer_, static_cast<std::size_t>(address - host_first_)};
  if (whole_) return {whole_, static_cast<std::size_t>(address - first_)};
  std::shared_lock lock(mutex_);
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin() || address > (--after)->second.end) return {};
  return {after->second.buffer, static_cast<std::size_t>(address - after->first)};
}

}  // namespace stretto::device::opencl
