#include <stretto_devices/kernel_arguments.hpp>

namespace stretto::devices {

driver_range::driver_range(const kernel_range& r) noexcept : is_of_groups(r.is_of_groups) {
  for (int axis = 1; axis < max_axes; ++axis)
    if (r.ids.length(axis) != 1 || r.group[axis] != 1) dimensions = axis + 1;
  for (int i = 0; i < dimensions; ++i) {
    const int axis = dimensions - 1 - i;
    items[i] = static_cast<std::size_t>(r.ids.length(axis));
    if (is_of_groups) group[i] = static_cast<std::size_t>(r.group[axis]);
  }
}

}  // namespace stretto::devices
