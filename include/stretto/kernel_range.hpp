// kernel_range.hpp - the range of a launch: a box of ids, or of groups of items.
//
//     STRETTO_KERNEL(scale, (inout<float, 2> u), { u(global_id(0), global_id(1)) *= 2; })
//     STRETTO_GROUP_KERNEL(sum_of_groups, (in<float> x, out<float> sums, local<float> part), {
//       each_item([&](item it) { part(it.local_id(0)) = x(it.global_id(0)); });
//       each_item([&](item it) {
//         if (it.local_id(0) == 0)
//           for (int i = 1; i < group_size(0); ++i) part(0) += part(i);
//       });
//       each_item([&](item it) { if (it.local_id(0) == 0) sums(group_id(0)) = part(0); });
//     })
//     void launch_both(const instance<float, 2>& u, const instance<float>& x, const instance<float>& sums) {
//       launch(scale, u.elements(), u);                                        // one item per element
//       launch(sum_of_groups, in_groups({0, 64}, 256), x, sums, local_size{256});  // 64 groups of 256 items
//     }
//
// Threads     values.
#pragma once

#include <stretto/box.hpp>

#include <cstdint>
#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

/// The range of a launch: a box of ids, or of groups. A box converts to it.
struct kernel_range {
  /// All ids of a box. Never throws.
  kernel_range(const box& items, std::source_location called = std::source_location::current())
      : ids(items), where(called) {}
  /// All groups of a box, each of so many items. Never throws; use in_groups().
  kernel_range(const box& groups, const extent& items_of_group, const std::source_location& called)
      : ids(groups), group(items_of_group), is_of_groups(true), where(called) {}

  box ids;                     // of items, or of groups
  extent group = unit;         // items of each group
  bool is_of_groups = false;   // whether ids are those of groups
  std::source_location where;  // of the launch
};

/// The range of a group kernel, as CUDA's grid and block sizes.
///
///   groups           a box of group ids
///   items_of_group   items of each group along each axis, >= 1; the launch throws K25 otherwise
///
/// Never throws itself.
inline kernel_range in_groups(const box& groups, const extent& items_of_group,
                              std::source_location where = std::source_location::current()) {
  return {groups, items_of_group, where};
}

/// The argument of a parameter local<T>: the number of elements of each group.
struct local_size {
  std::int64_t elements = 0;  // per group
};

}  // namespace stretto

STRETTO_API_END
