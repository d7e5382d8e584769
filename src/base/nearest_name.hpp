// nearest_name.hpp - "did you mean": the closest of a set of names to a misspelt one.
//
// Threads     pure.
// Source      edit distance with adjacent transpositions (optimal string alignment).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stretto::base {

/// The name in `names` with the fewest edits to `typed`, if that is at most a third of its length (and at least 1);
/// the first of several equals. Cost: O(sum of length products).
std::optional<std::string> nearest_name(std::string_view typed, std::span<const std::string> names);

/// `did you mean "x"?` or an empty text: ready for error::remedy.
std::string did_you_mean(std::string_view typed, std::span<const std::string> names);

}  // namespace stretto::base
