#include "device/opencl/opencl_program.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "device/log_lines.hpp"

namespace stretto::device::opencl {

namespace {

int axes_of(const kernel_code& code) {
  int most = 1;
  for (const kernel_parameter& p : code.parameters) most = std::max<int>(most, p.dimensions);
  return most;
}

}  // namespace

// Some statuses mean that the device or one of its objects has become invalid: the device is lost.
bool driver::note_loss(cl_int status) noexcept {
  if (is_lost()) return true;
  const bool reports_loss = status == CL_DEVICE_NOT_AVAILABLE || status == CL_INVALID_DEVICE ||
                            status == CL_INVALID_CONTEXT || status == CL_INVALID_COMMAND_QUEUE;
  // Other statuses may come from a faulty kernel or launch, or from a lost device: ask the device.
  if (!reports_loss && is_responsive()) return false;
  cl_int none = CL_SUCCESS;
  lost_.compare_exchange_strong(none, status, std::memory_order_acq_rel);
  return true;
}

/// True if the device still executes a command.
bool driver::is_responsive() const noexcept {
  cl_bool is_available = CL_FALSE;
  if (cl->clGetDeviceInfo(id, CL_DEVICE_AVAILABLE, sizeof is_available, &is_available, nullptr) != CL_SUCCESS ||
      !is_available)
    return false;
  cl_int status = CL_SUCCESS;
  const cl_command_queue queue = cl->clCreateCommandQueue(context, id, 0, &status);
  if (status != CL_SUCCESS) return false;
  status = cl->clEnqueueMarkerWithWaitList(queue, 0, nullptr, nullptr);
  if (status == CL_SUCCESS) status = cl->clFinish(queue);
  cl->clReleaseCommandQueue(queue);
  return status == CL_SUCCESS;
}

error driver::lost() const {
  return error("K31", fmt::format("device \"{}\" was lost", name))
      .because(name_of(lost_.load(std::memory_order_acquire)))
      .remedy(
          "run its kernels on the host with STRETTO_CHECK=1 to find a fault in one; a new process may use the device "
          "again");
}

void driver::check(cl_int status, std::string_view call) {
  if (status == CL_SUCCESS) return;
  if (note_loss(status)) throw lost();
  opencl::check(status, call);
}

group_needs needs_of(const driver& d, cl_kernel k) {
  const auto ask = [&](cl_kernel_work_group_info what, auto& value) {
    return d.cl->clGetKernelWorkGroupInfo(k, d.id, what, sizeof value, &value, nullptr) == CL_SUCCESS;
  };
  group_needs n;
  if (std::size_t most = 0; ask(CL_KERNEL_WORK_GROUP_SIZE, most) && most > 0)
    n.most_items = static_cast<std::int64_t>(most);
  if (cl_ulong bytes = 0; ask(CL_KERNEL_LOCAL_MEM_SIZE, bytes)) n.local_bytes = bytes;
  return n;
}

std::string build_log(const driver& d, cl_program p) {
  std::size_t bytes = 0;
  d.cl->clGetProgramBuildInfo(p, d.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  d.cl->clGetProgramBuildInfo(p, d.id, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n' || log.back() == ' ')) log.pop_back();
  return log;
}

cl_mem driver::locks() {
  std::scoped_lock lock(mutex_);
  if (locks_) return locks_;
  std::vector<cl_uint> none(lock_count);
  cl_int status = CL_SUCCESS;
  const cl_mem made = cl->clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                         none.size() * sizeof none[0], none.data(), &status);
  check(status, "clCreateBuffer");
  return locks_ = made;
}

opencl_program::opencl_program(const kernel_code& code, std::shared_ptr<driver> d, abilities has)
    : compiled_kernel(code),
      driver_(std::move(d)),
      text_(text_for(code, dialect::opencl, driver_->check_kernels)),
      locks_(text_.needs_locks ? driver_->locks() : nullptr) {
  if (const char* const what = text_.needs_double && !has.double_precision         ? "numbers of double precision"
                               : text_.needs_atomics_64 && !has.atomics_of_64_bits ? "atomics of 64 bits"
                                                                                   : nullptr)
    throw missing_capability(code, what, driver_->identity);
  const variant v{axes_of(code), driver_->most_indexing};
  built_.emplace(v, build(v));
  if (!code.in_groups) return;
  try {
    const cl_kernel k = make_kernel(v);
    needs_ = needs_of(*driver_, k);
    driver_->cl->clReleaseKernel(k);
  } catch (...) {
    driver_->cl->clReleaseProgram(built_.at(v));
    throw;
  }
}

opencl_program::~opencl_program() {
  for (const auto& [v, program] : built_) driver_->cl->clReleaseProgram(program);
}

cl_kernel opencl_program::make_kernel(variant v) const {
  std::scoped_lock lock(mutex_);
  auto at = built_.find(v);
  if (at == built_.end()) at = built_.emplace(v, build(v)).first;
  cl_int status = CL_SUCCESS;
  const cl_kernel k = driver_->cl->clCreateKernel(at->second, text_.entry.c_str(), &status);
  driver_->check(status, "clCreateKernel");
  return k;
}

cl_program opencl_program::build(variant v) const {
  const std::string flags =
      fmt::format("-cl-std=CL1.2 -DSTRETTO_DIMENSIONS={} -DSTRETTO_INDEXING={}{}", v.dimensions,
                  static_cast<int>(v.elements), code.denormals_are_zero ? " -cl-denorms-are-zero" : "");
  const std::string key = fmt::format("opencl\n{}\n{}\n{}", driver_->identity, flags, text_.source);
  if (const cl_program kept = from_cache(key, flags)) return kept;
  return compile_source(key, flags);
}

cl_program opencl_program::from_cache(const std::string& key, const std::string& flags) const {
  const auto kept = driver_->cache.find(key);
  if (!kept) return nullptr;
  const api& cl = *driver_->cl;
  const std::size_t length = kept->size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(kept->data());
  cl_int status = CL_SUCCESS, loaded = CL_SUCCESS;
  const cl_program p =
      cl.clCreateProgramWithBinary(driver_->context, 1, &driver_->id, &length, &bytes, &loaded, &status);
  if (status != CL_SUCCESS) return nullptr;  // the driver was replaced: compile again
  if (loaded == CL_SUCCESS && cl.clBuildProgram(p, 1, &driver_->id, flags.c_str(), nullptr, nullptr) == CL_SUCCESS)
    return p;
  cl.clReleaseProgram(p);
  return nullptr;
}

cl_program opencl_program::compile_source(const std::string& key, const std::string& flags) const {
  const api& cl = *driver_->cl;
  const char* text = text_.source.c_str();
  cl_int status = CL_SUCCESS;
  const cl_program p = cl.clCreateProgramWithSource(driver_->context, 1, &text, nullptr, &status);
  driver_->check(status, "clCreateProgramWithSource");
  status = cl.clBuildProgram(p, 1, &driver_->id, flags.c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS) {
    if (status != CL_BUILD_PROGRAM_FAILURE && driver_->note_loss(status)) throw driver_->lost();
    const std::string log = build_log(*driver_, p);
    cl.clReleaseProgram(p);
    throw error("K12", fmt::format("kernel \"{}\" does not compile for the device", code.name))
        .fact("kernel", fmt::format("{}:{}", code.file, code.line))
        .fact("device", driver_->identity)
        .because(log.empty() ? name_of(status) : with_lines_of_user(log, text_.source))
        .remedy("write the body in the common subset of C and C++; docs/guide/kernels.md lists the pitfalls");
  }
  std::size_t bytes = 0;
  cl.clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr);
  std::string binary(bytes, '\0');
  auto* to = reinterpret_cast<unsigned char*>(binary.data());
  if (bytes && cl.clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr) == CL_SUCCESS)
    driver_->cache.put(key, binary);
  return p;
}

}  // namespace stretto::device::opencl
