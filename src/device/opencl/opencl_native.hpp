// opencl_native.hpp - a kernel whose OpenCL code, or OpenCL calls, the program supplies.
//
// Threads     make_kernel: any; its result belongs to the caller.
// Cost        compiled once. A sub-buffer is created if an array differs from that of the previous launch.
#pragma once

#include "device/native_code.hpp"
#include "device/opencl/opencl_memory.hpp"
#include "device/opencl/opencl_program.hpp"

namespace stretto::device::opencl {

class opencl_native final : public compiled_kernel {
 public:
  /// Throws K12, K14 to K17.
  opencl_native(const kernel_code& code, std::shared_ptr<driver> d);
  ~opencl_native() override;

  bool is_calls() const noexcept { return !program_; }
  /// A kernel object with arguments of its own. The caller must release it.
  cl_kernel make_kernel(variant) const;
  group_needs needs() const override { return needs_; }

 private:
  void build(const native_code& from);
  void require_count(const native_code& from, cl_kernel k) const;

  const std::shared_ptr<driver> driver_;
  cl_program program_ = nullptr;  // null: the kernel makes calls
  group_needs needs_;
};

/// The sub-buffer that begins at an array, which OpenCL needs in place of a pointer; recreated if the array changes.
class part_of_buffer {
 public:
  part_of_buffer() = default;
  part_of_buffer(part_of_buffer&& other) noexcept;
  ~part_of_buffer();

  /// Null if no buffer can begin there.
  cl_mem of(const std::shared_ptr<driver>& d, located whole, std::size_t bytes, std::uint64_t alignment);

 private:
  std::shared_ptr<driver> driver_;
  located from_;
  std::size_t bytes_ = 0;
  cl_mem part_ = nullptr;
};

}  // namespace stretto::device::opencl
