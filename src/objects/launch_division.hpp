// launch_division.hpp - divides a launch among devices if its arguments say which elements each part uses.
//
// Threads     the thread that holds the state's mutex.
// Cost        O(devices log devices) a few times, and one look-up, for each divisible launch.
#pragma once

#include <span>
#include <vector>

#include "objects/task.hpp"

namespace stretto::objects {

struct share {
  execution_place* of;
  box ids;  // a part of the launch's range
};

/// Divides the launch's range along its slowest axis into disjoint, non-empty shares whose union is the range. Returns
/// one share if one device alone is best, and none if fewer than two devices may run the launch.
/// Shares follow the speeds measured at about that size; devices without measurements get an even share. The last
/// division of the same kernel and range is kept while it is at most a tenth slower, because moving borders moves data.
/// Cuts lie on multiples of the grain, in ids.
std::vector<share> divide(const task& t, const extent& grain, objects_state& s);

/// The grain along the axis on which such a range is cut.
coordinate grain_of_cut(const box& ids, const extent& grain) noexcept;

/// Throws A07 if two parts of a launch write the same elements. Reductions may share elements.
void refuse_overlapping_writes(std::span<const task_pointer> parts);

}  // namespace stretto::objects
