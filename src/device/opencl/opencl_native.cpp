#include "device/opencl/opencl_native.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace stretto::device::opencl {

opencl_native::opencl_native(const kernel_code& code, std::shared_ptr<driver> d)
    : compiled_kernel(code), driver_(std::move(d)) {
  const native_code& from = code.native->opencl;
  if (code.native->has_calls(native_call::kind::opencl)) return;
  if (from.is == native_code::form::none) throw without_code(code, driver_->identity);
  build(from);
  try {
    const cl_kernel k = make_kernel({});
    try {
      require_count(from, k);
      if (code.in_groups) needs_ = needs_of(*driver_, k);
    } catch (...) {
      driver_->cl->clReleaseKernel(k);
      throw;
    }
    driver_->cl->clReleaseKernel(k);
  } catch (...) {
    driver_->cl->clReleaseProgram(program_);
    throw;
  }
}

opencl_native::~opencl_native() {
  if (program_) driver_->cl->clReleaseProgram(program_);
}

void opencl_native::build(const native_code& from) {
  const api& cl = *driver_->cl;
  const std::string content = content_of(from, code);
  const std::size_t length = content.size();
  cl_int status = CL_SUCCESS, loaded = CL_SUCCESS;
  if (from.is == native_code::form::binary || from.is == native_code::form::binary_file) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(content.data());
    program_ = cl.clCreateProgramWithBinary(driver_->context, 1, &driver_->id, &length, &bytes, &loaded, &status);
    if (status == CL_SUCCESS) status = loaded;
  } else {
    const char* text = content.c_str();
    program_ = cl.clCreateProgramWithSource(driver_->context, 1, &text, &length, &status);
  }
  if (status == CL_SUCCESS)
    status = cl.clBuildProgram(program_, 1, &driver_->id, from.options.c_str(), nullptr, nullptr);
  if (status == CL_SUCCESS) return;
  if (driver_->is_lost()) throw driver_->lost();
  const std::string log = program_ ? build_log(*driver_, program_) : std::string();
  if (program_) cl.clReleaseProgram(std::exchange(program_, nullptr));
  throw error("K12", fmt::format("kernel \"{}\" does not compile for the device", code.name))
      .fact("kernel", fmt::format("{}:{}", code.file, code.line))
      .fact("code", origin_of(from, code))
      .fact("device", driver_->identity)
      .because(log.empty() ? name_of(status) : log)
      .remedy("check the code in the definition; a binary works for one device and one version of its driver only");
}

cl_kernel opencl_native::make_kernel(variant) const {
  const api& cl = *driver_->cl;
  const native_code& from = code.native->opencl;
  cl_int status = CL_SUCCESS;
  const cl_kernel k = cl.clCreateKernel(program_, entry_of(from, code).c_str(), &status);
  if (status == CL_SUCCESS) return k;
  if (status != CL_INVALID_KERNEL_NAME) driver_->check(status, "clCreateKernel");
  std::size_t bytes = 0;
  cl.clGetProgramInfo(program_, CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &bytes);
  std::string names(bytes, '\0');
  cl.clGetProgramInfo(program_, CL_PROGRAM_KERNEL_NAMES, bytes, names.data(), nullptr);
  std::istringstream in(names.substr(0, names.find('\0')));
  std::vector<std::string> there;
  for (std::string one; std::getline(in, one, ';');) there.push_back(one);
  throw without_entry(from, code, there);
}

void opencl_native::require_count(const native_code& from, cl_kernel k) const {
  cl_uint there = 0;
  driver_->check(driver_->cl->clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof there, &there, nullptr), "clGetKernelInfo");
  std::size_t wanted = code.parameters.size();
  if (code.native->with_layouts) wanted += static_cast<std::size_t>(std::ranges::count_if(code.parameters, is_array));
  if (there != wanted) throw wrong_count(from, code, wanted, there);
}

part_of_buffer::part_of_buffer(part_of_buffer&& other) noexcept
    : driver_(std::move(other.driver_)),
      from_(other.from_),
      bytes_(other.bytes_),
      part_(std::exchange(other.part_, nullptr)) {}

part_of_buffer::~part_of_buffer() {
  if (part_) driver_->cl->clReleaseMemObject(part_);
}

cl_mem part_of_buffer::of(const std::shared_ptr<driver>& d, located whole, std::size_t bytes, std::uint64_t alignment) {
  if (whole.offset == 0) return whole.buffer;
  if (whole.offset % std::max<std::uint64_t>(alignment, 1) != 0 || bytes == 0) return nullptr;
  if (part_ && from_.buffer == whole.buffer && from_.offset == whole.offset && bytes_ == bytes) return part_;
  // The driver keeps it until pending launches that use it have completed.
  if (part_) d->cl->clReleaseMemObject(std::exchange(part_, nullptr));
  const cl_buffer_region region{whole.offset, bytes};
  cl_int status = CL_SUCCESS;
  const cl_mem made =
      d->cl->clCreateSubBuffer(whole.buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  if (status == CL_MISALIGNED_SUB_BUFFER_OFFSET) return nullptr;
  d->check(status, "clCreateSubBuffer");
  driver_ = d, from_ = whole, bytes_ = bytes;
  return part_ = made;
}

}  // namespace stretto::device::opencl
