// opencl_program.hpp - one kernel, compiled for one device in the variants that its launches need.
//
// Threads     make_kernel: any thread, under a lock; its result belongs to the caller.
// Cost        a variant is compiled once, in tens to hundreds of milliseconds, and stored on disk.
#pragma once

#include <stretto/error.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "device/device.hpp"
#include "device/indexing.hpp"
#include "device/kernel_cache.hpp"
#include "device/kernel_text.hpp"
#include "device/opencl/opencl_api.hpp"

namespace stretto::device::opencl {

/// The state that all objects of one device share.
struct driver {
  std::shared_ptr<const api> cl;
  cl_device_id id = nullptr;
  cl_context context = nullptr;
  std::string name;
  std::string identity;  // platform, device and driver version; part of the key of the kernel cache
  kernel_cache cache{{}};
  index_checks check_kernels = index_checks::off;  // whether kernels check their indices
  indexing most_indexing = indexing::near;         // lower if the compiler gains nothing from it

  ~driver() {
    if (locks_) cl->clReleaseMemObject(locks_);
    if (context) cl->clReleaseContext(context);
  }

  /// Any thread. Whether the device has failed; once true, it stays true.
  bool is_lost() const noexcept { return lost_.load(std::memory_order_acquire) != CL_SUCCESS; }
  /// True if a failure with this status means that the device is lost: the status says so, or the device no longer
  /// responds. Records the loss.
  bool note_loss(cl_int status) noexcept;
  /// The error K31.
  error lost() const;
  /// Throws K31 if the device is lost, K41 for other failures.
  void check(cl_int status, std::string_view call);
  /// The locks of kernels that contribute with a user-defined operator (kernel_text.hpp), allocated when the first
  /// such kernel is compiled. Throws K31, K41.
  cl_mem locks();

 private:
  bool is_responsive() const noexcept;
  std::atomic<cl_int> lost_{CL_SUCCESS};  // the status of the failure
  std::mutex mutex_;
  cl_mem locks_ = nullptr;
};

/// The limits that the driver reports for groups of a kernel; it may report none.
group_needs needs_of(const driver& d, cl_kernel k);

/// The compiler's log of the last build.
std::string build_log(const driver& d, cl_program p);

struct variant {
  int dimensions = 1;
  indexing elements = indexing::near;
  friend auto operator<=>(const variant&, const variant&) = default;
};

/// Capabilities that a device may lack.
struct abilities {
  bool double_precision = true, atomics_of_64_bits = true;
};

class opencl_program final : public compiled_kernel {
 public:
  /// Compiles the most common variant. Throws K12, K13.
  opencl_program(const kernel_code& code, std::shared_ptr<driver> d, abilities has);
  ~opencl_program() override;

  /// A kernel object with arguments of its own. The caller must release it.
  cl_kernel make_kernel(variant v) const;
  cl_mem locks() const noexcept { return locks_; }  // null: the kernel needs none
  group_needs needs() const override { return needs_; }

 private:
  cl_program build(variant v) const;
  cl_program from_cache(const std::string& key, const std::string& flags) const;
  cl_program compile_source(const std::string& key, const std::string& flags) const;

  const std::shared_ptr<driver> driver_;
  const kernel_text text_;
  const cl_mem locks_;
  group_needs needs_;  // of the most common variant
  mutable std::mutex mutex_;
  mutable std::map<variant, cl_program> built_;
};

}  // namespace stretto::device::opencl
