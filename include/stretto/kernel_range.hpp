// kernel_range.hpp - which items a launch computes: a box of ids, or of groups.
//
//     launch(jacobi, box({1, 1}, {n - 1, n - 1}), u, v, 0.1f);                        // a box becomes a range
//     launch(sum_of_group, in_groups({0, 64}, 256), x, sums, local_size{256});        // 64 groups of 256 items
//     launch(transpose, in_groups({{0, 0}, {8, 8}}, {16, 16}), u, v);
//
// Threads     values.
#pragma once

#include <stretto/box.hpp>

#include <cstdint>
#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

/// The items of a launch: a box of ids, or of groups. A box becomes one by itself.
struct kernel_range {
  kernel_range(const box& items, std::source_location called = std::source_location::current())
      : ids(items), where(called) {}
  kernel_range(const box& groups, const extent& items_of_group, const std::source_location& called)
      : ids(groups), group(items_of_group), is_of_groups(true), where(called) {}

  box ids;  // of items, or of groups
  extent group = unit;
  bool is_of_groups = false;
  std::source_location where;  // of the launch
};

/// The range of a group kernel: which groups, and the items of each.
inline kernel_range in_groups(const box& groups, const extent& items_of_group,
                              std::source_location where = std::source_location::current()) {
  return {groups, items_of_group, where};
}

/// What stands for a parameter local<T>: how many elements each group gets.
struct local_size {
  std::int64_t elements = 0;
};

}  // namespace stretto

STRETTO_API_END
