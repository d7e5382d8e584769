// directive_text.hpp - directives as text, for --acc-show.
//
// Threads     pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "cc/acc/directive_tree.hpp"

namespace stretto::cc::acc {

/// An expression as the source could have it: "n + 1" becomes "n+1".
std::string joined_text(const tokens& expression);
/// The clause as the source could have it: "copyin(readonly: a[0:n], b)".
std::string text_of(const clause& c);

/// Lines about directives, by the index of their pragma.
using directive_facts = std::map<std::size_t, std::vector<std::string>>;

/// A line per directive, indented by its depth, and below it a line per clause and a line per fact:
///
///     x.c:7: parallel loop, lines 8 to 10
///       copy(a[0:n])
///       - line 8: divided among gangs
std::string text_of(const directive_tree& tree, const preprocessed_text& source, const directive_facts& facts = {});

}  // namespace stretto::cc::acc
