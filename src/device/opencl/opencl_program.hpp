// opencl_program.hpp - one kernel, compiled for one device in the variants that its launches need.
//
// Threads     kernel_for: any thread, under a lock; what it returns belongs to the caller.
// Cost        a variant is compiled once, in tens to hundreds of milliseconds, and kept on disk.
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

/// What all objects of one device share.
struct driver {
  std::shared_ptr<const api> cl;
  cl_device_id id = nullptr;
  cl_context context = nullptr;
  std::string name;
  std::string identity;  // platform, device and driver version: part of the key of what is kept on disk
  kernel_cache cache{{}};
  index_checks check_kernels = index_checks::off;  // whether those look at their indices
  indexing most_indexing = indexing::near;  // less where compilers make no less of it

  ~driver() {
    if (locks_) cl->clReleaseMemObject(locks_);
    if (context) cl->clReleaseContext(context);
  }

  /// Any thread. Whether nothing works here any more; then it is so for ever.
  bool is_lost() const noexcept { return lost_.load(std::memory_order_acquire) != CL_SUCCESS; }
  /// Whether a failure with this status is the device's end: it says so, or the device does not answer after it.
  bool ends_with(cl_int status) noexcept;
  /// The error K31.
  error lost() const;
  /// Throws K31 where the status is the device's end, K41 for other failures.
  void check(cl_int status, std::string_view call);
  /// What kernels take that contribute behind locks (kernel_text.hpp), made when the first is compiled. Throws K31, K41.
  cl_mem locks();

 private:
  bool answers() const noexcept;
  std::atomic<cl_int> lost_{CL_SUCCESS};  // else with which status
  std::mutex mutex_;
  cl_mem locks_ = nullptr;
};

/// What the driver says that groups of a kernel need, which it may not.
group_needs needs_of(const driver& d, cl_kernel k);

/// What the compiler said of the last build.
std::string build_log(const driver& d, cl_program p);

struct variant {
  int dimensions = 1;
  indexing elements = indexing::near;
  friend auto operator<=>(const variant&, const variant&) = default;
};

/// What a kernel may need and a device may lack.
struct abilities {
  bool double_precision = true, atomics_of_64_bits = true;
};

class opencl_program final : public compiled_kernel {
 public:
  /// Compiles the variant that most launches need; throws K12, K13.
  opencl_program(const kernel_code& code, std::shared_ptr<driver> d, abilities has);
  ~opencl_program() override;

  /// A kernel object whose arguments nobody else sets. To be released by the caller.
  cl_kernel make_kernel(variant v) const;
  cl_mem locks() const noexcept { return locks_; }  // null: it takes none
  group_needs needs() const override { return needs_; }

 private:
  cl_program build(variant v) const;
  cl_program from_cache(const std::string& key, const std::string& flags) const;
  cl_program from_text(const std::string& key, const std::string& flags) const;

  const std::shared_ptr<driver> driver_;
  const kernel_text text_;
  const cl_mem locks_;
  group_needs needs_;  // of the variant that most launches need
  mutable std::mutex mutex_;
  mutable std::map<variant, cl_program> built_;
};

}  // namespace stretto::device::opencl
