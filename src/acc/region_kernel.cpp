#include "acc/region_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <source_location>
#include <span>
#include <stretto/native_kernel.hpp>
#include <utility>
#include <vector>

#include "acc/gang_arguments.hpp"

namespace stretto::acc {
namespace {

std::span<const stretto_acc_parameter> parameters_of(const stretto_acc_device_kernel& of) {
  return {of.parameters, static_cast<std::size_t>(of.parameter_count)};
}

class region_functions final : public native_functions {
 public:
  explicit region_functions(const gang_launch& of) : gang_(of.kernel), table_(parameters_of(*of.device)) {
    if (of.device->opencl) opencl = native_code::text(of.device->opencl).with_entry(of.device->name);
    if (of.device->cuda) cuda = native_code::text(of.device->cuda).with_entry(of.device->name);
    for (const stretto_acc_parameter& one : table_) {
      if (one.form == stretto_acc_form_value) add_value(one.bytes);
      else add_memory();
      if (one.form == stretto_acc_form_address) add_value(sizeof(std::uint64_t));
    }
    for (std::size_t i = 0; i < of.arguments.size(); ++i) is_pointer_.push_back(of.arguments.on_device(i).is_pointer);
  }

  std::span<const kernel_parameter> parameters() const noexcept { return parameters_; }
  bool has_calls(native_call::kind) const noexcept override { return false; }
  void call(const native_call&, const kernel_argument*, const location*) const override {}

  /// Some gangs by the function of the host, which takes arguments as on the host.
  void run(const kernel_work& work, const kernel_argument* given) const override {
    std::vector<void*> arguments(is_pointer_.size());
    std::vector<std::byte*> pointers(is_pointer_.size());
    for (const stretto_acc_parameter& one : table_) {
      const auto index = static_cast<std::size_t>(one.argument);
      std::byte* at = given++->origin;
      if (one.form == stretto_acc_form_address) {
        std::uint64_t offset = 0;
        std::memcpy(&offset, given++->origin, sizeof offset);
        at = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(at) + offset);
      }
      pointers[index] = at;
      arguments[index] = is_pointer_[index] ? static_cast<void*>(&pointers[index]) : at;
    }
    for (std::int64_t gang = work.min[0]; gang < work.max[0]; ++gang)
      gang_(arguments.data(), gang, work.all_max[0] - work.all_min[0]);
  }

 private:
  void add_value(unsigned long bytes) {
    parameters_.push_back({.mode = access::value,
                           .element_bytes = static_cast<std::uint32_t>(bytes),
                           .alignment = alignof(std::max_align_t)});
  }
  void add_memory() {
    parameters_.push_back(
        {.mode = access::inout, .kind = element_kind::unsigned_integer, .dimensions = 1, .element_bytes = 1});
  }

  void (*const gang_)(void** arguments, long gang, long gangs);
  const std::span<const stretto_acc_parameter> table_;
  std::vector<kernel_parameter> parameters_;
  std::vector<bool> is_pointer_;  // of each argument of the launch
};

void run_gangs_of_region(const kernel_code& code, const kernel_work& work, const kernel_argument* arguments) {
  code.native->run(work, arguments);
}

}  // namespace

const kernel_code& region_kernel(const gang_launch& of, std::string_view backend) {
  auto functions = std::make_unique<region_functions>(of);
  const stretto::detail::native_request request{.name = of.device->name,
                                                .in_groups = backend == "cuda",
                                                .parameters = functions->parameters(),
                                                .run = &run_gangs_of_region};
  return stretto::detail::keep_native(request, std::move(functions), std::source_location::current());
}

std::string_view reason_against(const stretto_acc_device_kernel& of, std::string_view backend) {
  if (backend == "cuda") return of.cuda ? "" : of.cuda_reason;
  const bool has_kernel = backend == "sim" ? of.parameters != nullptr : of.opencl != nullptr;
  return has_kernel ? "" : of.opencl_reason;
}

device::launch_range range_of_gangs(const kernel_code& kernel, long gangs) {
  constexpr std::int64_t most_of_group = 256;
  device::launch_range range;
  range.max[0] = gangs;
  if (!kernel.in_groups) return range;
  while (range.group[0] < most_of_group && gangs % (2 * range.group[0]) == 0) range.group[0] *= 2;
  range.max[0] = gangs / range.group[0];
  return range;
}

}  // namespace stretto::acc
