// axes_fit.hpp - whether a range has the axes that a mapper and an array take.
//
// A box has three axes; an axis that the program did not give is [0,1). So one_to_one over a range with one axis, on an
// array with two, names only column 0 of each row: probably a mistake. A kernel that uses its id along the second axis
// shows that the range has this axis, and that its length is 1.
//
// Threads     pure.
#pragma once

#include <stretto/mapper.hpp>

#include <optional>
#include <string>

namespace stretto::geometry {

/// The smallest number of axes that the range can have: those up to the last one that is not [0,1).
int axes_of(const box& range) noexcept;

struct axes_fault {
  std::string because, remedy;
};

/// Explains why the axes do not fit; nothing if they do.
///
///   axes_known   number of axes along which items differ, at most 3: those of the range, or more if a mapper or kernel
///                uses more
///   axes         of the array
std::optional<axes_fault> find_axes_fault(const box& range, int axes_known, const box& elements, int axes,
                                          const detail::mapper_form& by);

}  // namespace stretto::geometry
