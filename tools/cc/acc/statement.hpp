// statement.hpp - how far a statement of C goes, by its tokens alone.
//
// Threads     pure.
// Cost        linear in the statement.
#pragma once

#include <cstddef>
#include <vector>

#include "cc/acc/directive.hpp"

namespace stretto::cc::acc {

/// The index behind the statement that begins at `first`: a block, a loop, a branch with its else, an expression with
/// its semicolon, a label with its statement. `first` itself if none begins there: at the end of a block or of the
/// tokens.
std::size_t end_of_statement(const tokens& program, std::size_t first);

/// The index behind the bracket that closes the one at `first`; the number of tokens if none does.
std::size_t end_of_brackets(const tokens& program, std::size_t first);

/// Whether a brace at file scope opens a namespace of C++, or extern "C".
bool opens_file_scope(const tokens& program, std::size_t brace);

/// Where definitions at file scope, and in namespaces, begin, as indices of tokens; the end of the program at last.
std::vector<std::size_t> starts_of_definitions(const tokens& program);

}  // namespace stretto::cc::acc
