// use_conflict.hpp - finds two parts of a range, of which one reads elements that the other writes: a data race if both
// run at the same time.
//
// The search cuts the range in the middle along each axis and compares the two halves. Then it continues with the
// halves of one axis. It ends when the parts share no elements, or when it has examined `most_parts` parts. A conflict
// that repeats along the range, as with all mappers of this library, is found by the first cuts.
//
// Threads     pure.
// Cost        one call of `reads` for each part, and one of `writes`.
#pragma once

#include <stretto/box.hpp>

#include <boost/container/small_vector.hpp>

#include <array>
#include <functional>
#include <optional>

namespace stretto::geometry {

using box_list = boost::container::small_vector<box, 2>;
/// Appends the elements that a part of the range uses. A part must use all elements that its own parts use.
using used_elements = std::function<void(const box& part, box_list& out)>;

struct use_conflict {
  box readers, writers;  // two parts of the range that have no item in common
  box where;             // elements that `readers` reads and `writers` writes: the intersection of the next two
  box read, written;     // boxes that `readers` reads, and that `writers` writes
};

/// A range, the axes along which it may be cut, and the lengths of which cuts are multiples.
struct divisible_range {
  box items;
  extent grain = unit;
  std::array<bool, max_axes> along = {true, true, true};
};

/// A value of `most_parts`: examine only the first cuts, one along each axis.
inline constexpr std::size_t first_cuts = 1;

/// The first conflict found; nothing if there is none among the examined parts.
///   most_parts   limit of examined parts; those of the first cuts are always examined
///   writes       null: the same elements are read and written
std::optional<use_conflict> find_use_conflict(const divisible_range& range, std::size_t most_parts,
                                              const used_elements& reads, const used_elements* writes = nullptr);

}  // namespace stretto::geometry
