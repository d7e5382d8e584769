// learned_function.hpp - from what chunks used, a function of a chunk that gives just that: a list of boxes, each of whose bounds follows one of
// the chunk's, or its mirror image, or is always the same.
//
// Threads     a function of values.
// Cost        boxes times chunks times the ways in which a box may follow a chunk, which in three axes are some thousands: for reports.
#pragma once

#include <span>
#include <string>

#include "graph/observed_use.hpp"

namespace stretto::graph {

/// "[](const box& part) { return box(part.min()[0] + 16, part.max()[0] + 16); }"; empty if there is none of at most `most` boxes. All uses are
/// exact.
std::string learn_function(std::span<const observed_use> uses, const box& range, const box& elements, int dimensions, std::size_t most = 6);

}  // namespace stretto::graph
