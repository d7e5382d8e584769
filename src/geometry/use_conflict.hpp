// use_conflict.hpp - whether some items of a range read elements that other items write, however the range is divided.
//
// Threads     pure.
// Cost        the range is halved along each axis, and the halves again, until parts no longer share elements or enough
//             of them have been looked at: a call for each part, two where reads and writes differ. A conflict that
//             repeats along the range, as those of all mappers of this library do, is found by the first cuts.
#pragma once

#include <stretto/box.hpp>

#include <boost/container/small_vector.hpp>

#include <array>
#include <functional>
#include <optional>

namespace stretto::geometry {

using box_list = boost::container::small_vector<box, 2>;
/// Appends the elements that a part of the range uses. A larger part uses at least as much.
using used_elements = std::function<void(const box& part, box_list& out)>;

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

/// For so many parts only the first cuts are made, one along each axis.
inline constexpr std::size_t first_cuts = 1;

///   most_parts   so many are looked at, but those of the first cuts always
///   writes       null: what is read is written, too
std::optional<use_conflict> find_use_conflict(const divisible_range& range, std::size_t most_parts,
                                              const used_elements& reads, const used_elements* writes = nullptr);

}  // namespace stretto::geometry
