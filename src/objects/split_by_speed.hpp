// split_by_speed.hpp - cuts a range between devices of different speed so that all end at about the same time.
//
// Threads     pure.
// Cost        O(devices log devices).
#pragma once

#include <stretto/box.hpp>

#include <span>
#include <vector>

namespace stretto::objects {

/// The speed of a device, and its fixed cost of taking part.
struct device_speed {
  double items_per_second = 0;  // 0: it gets no part
  double overhead_seconds = 0;  // includes everything that it must do first
};

/// Cuts `range` along its slowest axis into one part per device, in their order. A device that takes no part gets the
/// empty box.
///
///   grain    every cut lies on a multiple of it; >= 1
///   returns  as many boxes as there are speeds; disjoint, their union is range
///   throws   split_error B34 if no device takes part, B35 if the grain is below 1
///
/// The cuts minimise the time at which the last device ends, if all cells of the grain cost the same. A device of which
/// the overhead is longer than the others need together gets nothing.
///
///     split_by_speed({0, 100}, {{1e6}, {3e6}})   ->  [0,25) [25,100)
std::vector<box> split_by_speed(const box& range, std::span<const device_speed> speeds, coordinate grain = 1);

}  // namespace stretto::objects
