// directive_parser.hpp - reads the text of a directive of OpenACC: its kind, its clauses and their arguments.
//
// Threads     pure.
// Invariants  (1) any text gives a directive or an error. (2) expressions are balanced in parentheses and brackets, and
//             not empty; what they mean is for those who know the types.
#pragma once

#include <string_view>

#include "cc/acc/directive.hpp"

namespace stretto::cc::acc {

/// The directive whose text, behind "#pragma acc", is `text`.
///
///   throws   O01 if OpenACC has no such directive, O02 for a clause that the directive cannot have, O03 for arguments
///   of
///            another form than the clause's, O04 for clauses that exclude each other or come twice
///
///     parse_directive("parallel loop copy(a[0:n])", {"x.c", 7})
directive parse_directive(std::string_view text, const source_line& where);

}  // namespace stretto::cc::acc
