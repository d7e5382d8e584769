// learned_function.hpp - finds a function from a chunk to exactly the boxes that it used. Each bound of a box follows a
// bound of the chunk or of its mirror image, or is constant.
//
// Threads     pure functions.
// Cost        boxes times chunks times the ways in which a box can follow a chunk: thousands in three axes. For reports
//             only.
#pragma once

#include <span>
#include <string>

#include "graph/observed_use.hpp"

namespace stretto::graph {

/// "[](const box& part) { return box(part.min()[0] + 16, part.max()[0] + 16); }".
/// Empty if no function of at most `most` boxes fits. All uses must be exact.
std::string learn_function(std::span<const observed_use> uses, const box& range, const box& elements, int dimensions,
                           std::size_t most = 6);

}  // namespace stretto::graph
