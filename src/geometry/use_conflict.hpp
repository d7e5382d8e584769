// use_conflict.hpp - whether some items of a range read elements that other items write, however the range is divided.
//
// Threads     pure.
// Cost        the range is halved until its parts no longer share elements, or `most_parts` have been looked at: two calls for each
//             part. A conflict that repeats along the range, as those of all mappers of this library do, is found by the first cuts.
#pragma once

#include <stretto/box.hpp>

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace stretto::geometry {

/// Appends the elements that a part of the range uses. A larger part uses at least as much.
using used_elements = std::function<void(const box& part, std::vector<box>& out)>;

struct use_conflict {
  box readers, writers;  // two parts of the range that have no item in common
  box where;             // elements that the first reads and the second writes
  box read, written;     // by those parts, of which that is an intersection
};

/// How a range may be divided: along which axes, at multiples of which lengths.
struct divisible_range {
  box items;
  extent grain = unit;
  std::array<bool, max_axes> along = {true, true, true};
};

std::optional<use_conflict> find_use_conflict(const divisible_range& range, std::size_t most_parts, const used_elements& reads,
                                              const used_elements& writes);

}  // namespace stretto::geometry
