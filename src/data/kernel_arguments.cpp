#include "data/kernel_arguments.hpp"

#include <stretto/error.hpp>

#include <bit>
#include <cstring>
#include <string>

#include "data/handle.hpp"
#include "data/layout.hpp"
#include "data/reduction_record.hpp"
#include "device/narrow_ids.hpp"

namespace stretto::data {

namespace {

/// The argument for elements at `first` with layout `shape`.
kernel_argument array_at(std::byte* first, const layout& shape, const box& part, const kernel_parameter& p) noexcept {
  kernel_argument a;
  // Divisions would take longer than the rest of a short launch.
  const int shift = (p.element_bytes & (p.element_bytes - 1)) == 0 ? std::countr_zero(p.element_bytes) : -1;
  for (int axis = 0; axis < max_axes; ++axis) {
    a.stride[axis] =
        shift >= 0 ? shape.stride[axis] >> shift : shape.stride[axis] / static_cast<std::int64_t>(p.element_bytes);
    a.min[axis] = part.min()[axis];
    a.max[axis] = part.max()[axis];
  }
  // The result may lie outside of all memory: addresses are computed as integers.
  a.origin = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(first) +
                                          static_cast<std::uintptr_t>(shape.offset_of(point())));
  return a;
}

}  // namespace

kernel_argument array_of(const detail::instance_record& r, const box& part, const kernel_parameter& p) noexcept {
  return array_at(r.first, r.shape, part, p);
}

kernel_arguments::kernel_arguments(const kernel_code& code, std::span<const detail::launch_item> given)
    : code_(code), items_(given.begin(), given.end()), values_(code, [&](std::size_t i, std::byte* at) {
        if (code.parameters[i].mode != access::value) return;
        std::memcpy(at, items_[i].value, code.parameters[i].element_bytes);
        items_[i].value = at;
      }) {}

kernel_arguments::few<device::launch_argument> kernel_arguments::arguments(base::thread_context& context,
                                                                           const std::source_location& where) const {
  few<device::launch_argument> all(items_.size());
  for (std::size_t i = 0; i < items_.size(); ++i) all[i] = argument_of(items_[i], code_.parameters[i], context, where);
  return all;
}

kernel_argument host_argument_of(const detail::launch_item& item, const kernel_parameter& p,
                                 base::thread_context& context, const std::source_location& where) {
  if (item.array.record) {
    const detail::instance_record& r = usable(item.array, "launch", context, where);
    const box& part = item.part ? *item.part : r.shape.box;
    if (r.reduction) return array_at(r.reduction->shared_array(context) - span_of(r.shape).from, r.shape, part, p);
    kernel_argument a = array_of(r, part, p);
    a.touched = item.touched;
    a.allowed = item.allowed;
    // in learn mode a kernel may use more than `part`
    a.is_overwritten = item.part && p.mode == access::out && !item.touched;
    return a;
  }
  kernel_argument a;
  if (item.value) {
    a.origin = static_cast<std::byte*>(const_cast<void*>(item.value));
  } else {
    a.stride[0] = 1;
    if (!item.part) a.max[0] = item.local_elements;  // else it has no elements
  }
  return a;
}

device::launch_argument argument_of(const detail::launch_item& item, const kernel_parameter& p,
                                    base::thread_context& context, const std::source_location& where) {
  device::launch_argument argument;
  argument.is = host_argument_of(item, p, context, where);
  if (!item.array.record) return argument;
  const auto span = span_of(item.array.record->shape);
  argument.first = item.array.record->first + span.from;
  argument.bytes = static_cast<std::uint64_t>(span.to - span.from);
  return argument;
}

box items_of(const kernel_range& range) {
  if (!range.is_of_groups || range.ids.is_empty()) return range.ids;
  point min = range.ids.min(), max = range.ids.max();
  for (int a = 0; a < max_axes; ++a) min[a] *= range.group[a], max[a] *= range.group[a];
  return box::between(min, max);
}

void refuse_wrong_range(const kernel_code& code, const kernel_range& r) {
  if (code.in_groups != r.is_of_groups)
    throw error("K24", "kernel \"" + std::string(code.name) + "\" is launched " +
                           (code.in_groups ? "without groups, but is written for groups"
                                           : "in groups, but is written for items"))
        .fact("launched", r.where)
        .remedy(code.in_groups ? "launch it over in_groups(groups, items_of_group)" : "launch it over a box");
  for (int a = 0; a < max_axes && r.is_of_groups; ++a)
    if (r.group[a] < 1)
      throw error("K25", "kernel \"" + std::string(code.name) + "\" is launched in groups of " +
                             std::to_string(r.group[a]) + " items along axis " + std::to_string(a))
          .fact("launched", r.where)
          .remedy("launch groups of at least one item along every axis");
  device::refuse_wide_ids(code, to_range(r), r.where);
}

int dimensions_of(const kernel_range& r) noexcept {
  int n = max_axes;
  while (n > 1 && r.ids.min()[n - 1] == 0 && r.ids.max()[n - 1] == 1 && r.group[n - 1] == 1) --n;
  return n;
}

device::launch_range to_range(const kernel_range& r) noexcept {
  device::launch_range range;
  for (int a = 0; a < max_axes; ++a) {
    range.min[a] = r.ids.min()[a];
    range.max[a] = r.ids.max()[a];
    range.group[a] = r.group[a];
  }
  range.dimensions = dimensions_of(r);
  return range;
}

}  // namespace stretto::data
