#include "device/opencl/opencl_memory.hpp"

#include <fmt/format.h>

#include <iterator>
#include <mutex>

namespace stretto::device::opencl {

namespace {

cl_command_queue make_queue(const driver& d) noexcept {
  cl_int status = CL_SUCCESS;
  return d.cl->clCreateCommandQueue(d.context, d.id, 0, &status);
}

bool is_shortage(cl_int status) noexcept {
  return status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY;
}

}  // namespace

opencl_memory::opencl_memory(std::shared_ptr<driver> d, std::byte* first, std::uint64_t bytes, buffer_layout what)
    : driver_(std::move(d)), first_(first), bytes_(bytes), asks_(make_queue(*driver_)) {
  try {
    if (what != buffer_layout::blocks)
      whole_ = make(bytes, what == buffer_layout::one_buffer_in_place ? CL_MEM_ALLOC_HOST_PTR : 0);
  } catch (...) {
    if (asks_) driver_->cl->clReleaseCommandQueue(asks_);
    throw;
  }
  if (!whole_ || !asks_) return;
  driver_->cl->clFinish(asks_);  // no kernel is pending, so this does not block
  if (what != buffer_layout::one_buffer_in_place) return;
  cl_int status = CL_SUCCESS;
  void* const at = driver_->cl->clEnqueueMapBuffer(asks_, whole_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                                   nullptr, nullptr, &status);
  if (status == CL_SUCCESS) in_place_ = static_cast<std::byte*>(at);
}

opencl_memory::~opencl_memory() {
  for (const auto& [at, b] : blocks_) driver_->cl->clReleaseMemObject(b.buffer);
  if (in_place_) {  // otherwise drivers leak the memory of the mapping
    driver_->cl->clEnqueueUnmapMemObject(asks_, whole_, in_place_, 0, nullptr, nullptr);
    driver_->cl->clFinish(asks_);
  }
  if (whole_) driver_->cl->clReleaseMemObject(whole_);
  if (!asks_) return;
  driver_->cl->clFinish(asks_);
  driver_->cl->clReleaseCommandQueue(asks_);
}

/// Drivers may allocate memory on the first use of a buffer and fail that launch. So use the buffer before any
/// launch; other errors of this call are ignored.
cl_int opencl_memory::force_allocation(cl_mem buffer) const noexcept {
  if (!asks_) return CL_SUCCESS;
  const api& cl = *driver_->cl;
  const cl_int status =
      cl.clEnqueueMigrateMemObjects(asks_, 1, &buffer, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, nullptr, nullptr);
  if (status == CL_SUCCESS) cl.clFlush(asks_);
  return is_shortage(status) ? status : CL_SUCCESS;
}

cl_mem opencl_memory::make(std::uint64_t bytes, cl_mem_flags more) const {
  cl_int status = CL_SUCCESS;
  const cl_mem made = driver_->cl->clCreateBuffer(driver_->context, CL_MEM_READ_WRITE | more, bytes, nullptr, &status);
  const std::string what = fmt::format("a buffer of {} bytes", bytes);
  driver_->check(status, what);
  if (const cl_int refused = force_allocation(made); refused != CL_SUCCESS) {
    driver_->cl->clReleaseMemObject(made);
    driver_->check(refused, what);
  }
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

void opencl_memory::map_borrowed(std::byte* alias, located from, std::uint64_t bytes) {
  std::scoped_lock lock(mutex_);
  borrowed_.emplace(alias, taken{alias + bytes, from});
}

void opencl_memory::unmap_borrowed(std::byte* alias) noexcept {
  cl_mem own = nullptr;
  {
    std::scoped_lock lock(mutex_);
    const auto found = borrowed_.find(alias);
    if (found == borrowed_.end()) return;
    if (found->second.is_own) own = found->second.from.buffer;
    borrowed_.erase(found);
  }
  if (own) driver_->cl->clReleaseMemObject(own);
}

bool opencl_memory::map_host(std::byte* alias, std::byte* first, std::uint64_t bytes) {
  cl_int status = CL_SUCCESS;
  const cl_mem made =
      driver_->cl->clCreateBuffer(driver_->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, first, &status);
  if (status != CL_SUCCESS) return false;
  std::scoped_lock lock(mutex_);
  borrowed_.emplace(alias, taken{alias + bytes, {made, 0}, true});
  return true;
}

std::string opencl_memory::refusal_of(cl_mem buffer, std::uint64_t end) const {
  const api& cl = *driver_->cl;
  cl_context made_in = nullptr;
  std::size_t bytes = 0;
  if (cl_int status = cl.clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof made_in, &made_in, nullptr);
      status != CL_SUCCESS)
    return fmt::format("the driver says {}", name_of(status));
  if (made_in != driver_->context) return "the buffer was made in another context";
  cl.clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  return end > bytes ? fmt::format("the buffer has {} bytes, and what is used ends behind {}", bytes, end)
                     : std::string();
}

located opencl_memory::at(const std::byte* address) const {
  if (host_first_ && address >= host_first_ && address < host_first_ + host_bytes_)
    return {host_buffer_, static_cast<std::size_t>(address - host_first_)};
  if (whole_ && is_own(address)) return {whole_, static_cast<std::size_t>(address - first_)};
  std::shared_lock lock(mutex_);
  if (const auto behind = borrowed_.upper_bound(address); behind != borrowed_.begin())
    if (const auto& [first, b] = *std::prev(behind); address < b.end)
      return {b.from.buffer, b.from.offset + static_cast<std::size_t>(address - first)};
  if (whole_) return {whole_, static_cast<std::size_t>(address - first_)};
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin() || address > (--after)->second.end) return {};
  return {after->second.buffer, static_cast<std::size_t>(address - after->first)};
}

}  // namespace stretto::device::opencl
