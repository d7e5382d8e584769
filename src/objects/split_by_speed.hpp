// split_by_speed.hpp - a range cut between unlike devices so that all end at about the same time.
//
// Threads     pure.
// Cost        O(devices log devices).
#pragma once

#include <stretto/box.hpp>

#include <span>
#include <vector>

namespace stretto::objects {

/// How fast a device gets on with a part of a range, and what it costs it to take part at all.
struct device_speed {
  double items_per_second = 0;  // 0: it takes no part
  double overhead_seconds = 0;  // with whatever it must do first included
};

/// Cuts `range` along its slowest axis, one part per device in their order, those that take no part getting the empty box.
///
///   grain    every cut lies on a multiple of it; >= 1
///   returns  as many boxes as there are speeds; disjoint, their union is range
///   throws   split_error B34 if no device takes part, B35 if the grain is below 1
///
/// No other choice of cuts has its last device end earlier, if all cells of the grain count as equal. A device whose overhead
/// is longer than the others take together gets nothing.
///
///     split_by_speed({0, 100}, {{1e6}, {3e6}})   ->  [0,25) [25,100)
std::vector<box> split_by_speed(const box& range, std::span<const device_speed> speeds, coordinate grain = 1);

}  // namespace stretto::objects
