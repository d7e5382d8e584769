// kernel_arguments.hpp - the arguments of a launch on its way: values are kept, instances are looked at when it runs.
//
// Threads     one owner; what it keeps is constant.
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
  /// In place for the usual numbers of arguments.
  template <class T>
  using few = boost::container::small_vector<T, 4>;

  kernel_arguments(const kernel_code& code, std::span<const detail::launch_item> given);
  kernel_arguments(const kernel_arguments&) = delete;

  std::span<const detail::launch_item> items() const noexcept { return {items_.data(), items_.size()}; }
  /// Requires that the instances exist. Throws D01 for one that does not any more.
  few<device::launch_argument> arguments(base::thread_context& context, const std::source_location& where) const;

 private:
  const kernel_code& code_;
  few<detail::launch_item> items_;
  const device::argument_copy values_;
};

/// What a host's function may use of an instance that exists.
kernel_argument array_of(const detail::instance_record& r, const box& part, const kernel_parameter& p) noexcept;
/// One of them, of which `part` may be used, as the host's functions take it; and with what devices ask for.
kernel_argument host_argument_of(const detail::launch_item& item, const kernel_parameter& p, base::thread_context& context,
                                 const std::source_location& where);
device::launch_argument argument_of(const detail::launch_item& item, const kernel_parameter& p, base::thread_context& context,
                                    const std::source_location& where);

/// The ids of its items, also of a range of groups.
box items_of(const kernel_range& range);

/// Throws K24 for a range that is not of the kernel's kind, K25 for groups of no items, K19 for ids that the kernel keeps in too narrow a type.
void refuse_wrong_range(const kernel_code& code, const kernel_range& r);

/// Axes beyond the last that says anything are a matter of writing only; at least 1.
int dimensions_of(const kernel_range& r) noexcept;
/// The items as devices count them.
device::launch_range to_range(const kernel_range& r) noexcept;

}  // namespace stretto::data
