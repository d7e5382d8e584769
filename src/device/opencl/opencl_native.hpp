// opencl_native.hpp - a kernel whose OpenCL code, or calls, the program brought.
//
// Threads     make_kernel: any; what it returns belongs to the caller.
// Cost        compiled once; a part of a buffer is made where an array is not the one of the launch before.
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
  /// A kernel object whose arguments nobody else sets. To be released by the caller.
  cl_kernel make_kernel(variant) const;
  group_needs needs() const override { return needs_; }

 private:
  void build(const native_code& from);
  void require_count(const native_code& from, cl_kernel k) const;

  const std::shared_ptr<driver> driver_;
  cl_program program_ = nullptr;  // null: calls
  group_needs needs_;
};

/// The buffer that begins where an array does, which is a pointer to OpenCL; made anew where that changes.
class part_of_buffer {
 public:
  part_of_buffer() = default;
  part_of_buffer(part_of_buffer&& other) noexcept;
  ~part_of_buffer();

  /// Null where no buffer can begin there.
  cl_mem of(const std::shared_ptr<driver>& d, located whole, std::size_t bytes, std::uint64_t alignment);

 private:
  std::shared_ptr<driver> driver_;
  located from_;
  std::size_t bytes_ = 0;
  cl_mem part_ = nullptr;
};

}  // namespace stretto::device::opencl
