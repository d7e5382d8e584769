// axes_fit.hpp - whether a range has the axes that a mapper and an array take.
//
// A box does not know how many axes it was written with: a missing axis is [0,1). So a range of one axis, on an array
// of two, would name column 0 of each row alone. A kernel that asks for its id along that axis shows that more is
// meant.
//
// Threads     pure.
#pragma once

#include <stretto/mapper.hpp>

#include <optional>
#include <string>

namespace stretto::geometry {

/// How many axes the range has at least: the last that is not [0,1) counts.
int axes_of(const box& range) noexcept;

struct axes_fault {
  std::string because, remedy;
};

/// The reason why the axes do not fit, if they do not.
///
///   axes_known   number of axes along which items differ, at most 3: those of the range, or more if a mapper or kernel
///                uses more
///   axes         of the array
std::optional<axes_fault> find_axes_fault(const box& range, int axes_known, const box& elements, int axes,
                                          const detail::mapper_form& by);

}  // namespace stretto::geometry
