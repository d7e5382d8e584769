// kernel_arguments.hpp - the arguments of a deferred launch: values are copied, instances are looked up when it runs.
//
// Threads     one owner; the copied arguments are constant.
#pragma once

#include <stretto/launch.hpp>

#include <boost/container/small_vector.hpp>

#include <span>

#include "base/context.hpp"
#include "device/argument_copy.hpp"
#include "device/device.hpp"

namespace stretto::data {

class kernel_arguments {
 public:
  /// A vector with inline storage for the usual numbers of arguments.
  template <class T>
  using few = boost::container::small_vector<T, 4>;

  kernel_arguments(const kernel_code& code, std::span<const detail::launch_item> given);
  kernel_arguments(const kernel_arguments&) = delete;

  std::span<const detail::launch_item> items() const noexcept { return {items_.data(), items_.size()}; }
  /// Requires that the instances exist. Throws D01 for one that was destroyed.
  few<device::launch_argument> arguments(base::thread_context& context, const std::source_location& where) const;

 private:
  const kernel_code& code_;
  few<detail::launch_item> items_;
  const device::argument_copy values_;
};

/// The argument for an existing instance, as kernels on the host take it.
kernel_argument array_of(const detail::instance_record& r, const box& part, const kernel_parameter& p) noexcept;
/// The argument for `part` of an instance, as kernels on the host take it; argument_of adds what devices need.
kernel_argument host_argument_of(const detail::launch_item& item, const kernel_parameter& p,
                                 base::thread_context& context, const std::source_location& where);
device::launch_argument argument_of(const detail::launch_item& item, const kernel_parameter& p,
                                    base::thread_context& context, const std::source_location& where);

/// The ids of the items of a range, also of a range of groups.
box items_of(const kernel_range& range);

/// Throws K24 for a range of another kind than the kernel's, K25 for empty groups, K19 for ids that do not fit the
/// kernel's type.
void refuse_wrong_range(const kernel_code& code, const kernel_range& r);

/// Number of axes of the range, without trailing axes of length 1; at least 1.
int dimensions_of(const kernel_range& r) noexcept;
/// The range as devices count it.
device::launch_range to_range(const kernel_range& r) noexcept;

}  // namespace stretto::data
