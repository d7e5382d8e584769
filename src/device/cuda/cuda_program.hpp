// cuda_program.hpp - one kernel, compiled for one device in the variants that its launches need.
//
// Threads     function_for: any thread, under a lock; its result stays valid.
// Cost        a variant is compiled once and stored on disk; loading it takes a millisecond.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/cuda/cuda_driver.hpp"
#include "device/cuda/cuda_launch.hpp"
#include "device/device.hpp"
#include "device/indexing.hpp"
#include "device/kernel_text.hpp"

namespace stretto::device::cuda {

struct variant {
  int dimensions = 1;
  indexing elements = indexing::near;
  counting blocks = counting::by_axis;
  friend auto operator<=>(const variant&, const variant&) = default;
};

/// The NVRTC flags for a kernel's text.
std::vector<std::string> flags_of(variant v, const std::string& architecture);

/// A loaded variant.
struct loaded_kernel {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  int local_bytes = 0;  // declared in the body
  int most_items = 1;   // most items of a group, limited by its registers

  group_needs needs() const noexcept { return {most_items, static_cast<std::uint64_t>(local_bytes)}; }
};

/// Queries the attributes of a loaded function that launches need, and allows launches to request all local memory.
/// Throws K43 and unloads the module.
void query_attributes(driver& d, const kernel_code& code, loaded_kernel& k);

class cuda_program final : public compiled_kernel {
 public:
  /// Compiles the most common variant. Throws K12, K43.
  cuda_program(const kernel_code& code, std::shared_ptr<driver> d);
  ~cuda_program() override;

  const loaded_kernel& function_for(variant v) const;
  CUdeviceptr locks() const noexcept { return locks_; }  // 0: the kernel needs none
  group_needs needs() const override { return needs_; }
  void check_range(const device& on, const launch_range& r) const override;

 private:
  loaded_kernel build(variant v) const;
  CUresult load(const std::string& image, loaded_kernel& into) const;

  const std::shared_ptr<driver> driver_;
  const kernel_text text_;
  const CUdeviceptr locks_;
  group_needs needs_;   // of the most common variant
  int most_items_ = 1;  // most items of its blocks
  mutable std::mutex mutex_;
  mutable std::map<variant, loaded_kernel> loaded_;
};

}  // namespace stretto::device::cuda
