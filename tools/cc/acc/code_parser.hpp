// code_parser.hpp - reads the statement that a directive governs, with all that is inside, as typed code.
//
// Threads     pure.
// Cost        linear in the tokens.
#pragma once

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

/// The statement of a placed directive. Statements inside that have directives of their own refer to these.
///
///   names    must cover the statement
///   throws   O09 for code that no device can run or the translator does not know: inline assembly, statements in
///            expressions; O20 for jumps that are not possible
statement read_code(const preprocessed_text& source, const source_names& names, const placed_directive& of);

}  // namespace stretto::cc::acc
