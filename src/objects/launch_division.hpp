// dividing.hpp - which part of a launch each device computes, where the launch says what its parts use.
//
// Threads     whoever holds the state's mutex.
// Cost        O(devices log devices) a few times, and a look-up, for every launch that can be divided.
#pragma once

#include <span>
#include <vector>

#include "objects/task.hpp"

namespace stretto::objects {

struct share {
  execution_place* of;
  box ids;  // as the launch's range has them
};

/// Disjoint shares whose union is the launch's range, none empty, along its slowest axis; one alone if that is best, none if there is
/// nowhere to choose from. By the speeds measured at shares of about that size; devices that were never measured get an even share.
/// The last answer for the same kernel and range is kept as long as it is not a tenth worse: moving borders move
/// data. Cuts lie on
/// multiples of the grain, in ids.
std::vector<share> divide(const task& t, const extent& grain, objects_state& s);

/// That of the axis along which such a range is cut.
coordinate grain_of_cut(const box& ids, const extent& grain) noexcept;

/// Throws A07 where two parts of a launch write, not contribute to, the same elements.
void refuse_overlapping_writes(std::span<const task_pointer> parts);

}  // namespace stretto::objects
