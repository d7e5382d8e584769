// cuda_native.hpp - a kernel whose CUDA code, or CUDA calls, the program supplies.
//
// Threads     constant once made.
// Cost        compiled or loaded once.
#pragma once

#include "device/cuda/cuda_launch.hpp"
#include "device/cuda/cuda_program.hpp"
#include "device/native_code.hpp"

namespace stretto::device::cuda {

class cuda_native final : public compiled_kernel {
 public:
  /// Throws K12, K14 to K17, K43.
  cuda_native(const kernel_code& code, std::shared_ptr<driver> d);
  ~cuda_native() override;

  bool is_calls() const noexcept { return !loaded_.module; }
  const loaded_kernel& function() const noexcept { return loaded_; }
  group_needs needs() const override { return code.in_groups && !is_calls() ? loaded_.needs() : group_needs(); }
  void check_range(const device& on, const launch_range& r) const override {
    if (!is_calls() && r.items() > 0) fitting(on, code, r, loaded_.most_items);
  }

 private:
  void load(const native_code& from);
  void require_parameters(const native_code& from) const;

  const std::shared_ptr<driver> driver_;
  loaded_kernel loaded_;  // no module: the kernel makes calls
};

/// The arguments of a launch in the form of the entry's parameters, and the pointers to them.
class native_arguments {
 public:
  native_arguments(const kernel_code& code, std::span<const launch_argument> given);
  native_arguments(const native_arguments&) = delete;

  void** pointers() noexcept { return pointers_.data(); }
  std::uint64_t local_bytes() const noexcept { return local_bytes_; }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<native_layout> layouts_;
  std::vector<void*> pointers_;
  std::uint64_t local_bytes_ = 0;
};

}  // namespace stretto::device::cuda
