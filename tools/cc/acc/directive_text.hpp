// directive_text.hpp - directives as text, for --acc-show.
//
// Threads     pure.
#pragma once

#include <string>

#include "cc/acc/directive_tree.hpp"

namespace stretto::cc::acc {

/// An expression as the source could have it: "n + 1" becomes "n+1".
std::string joined_text(const tokens& expression);
/// The clause as the source could have it: "copyin(readonly: a[0:n], b)".
std::string text_of(const clause& c);

/// A line per directive, indented by its depth, and below it a line per clause:
///
///     x.c:7: parallel loop, lines 8 to 10
///       copy(a[0:n])
std::string text_of(const directive_tree& tree, const preprocessed_text& source);

}  // namespace stretto::cc::acc
