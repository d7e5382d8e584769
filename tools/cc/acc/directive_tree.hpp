// directive_tree.hpp - the directives of a source file, each with the statement that it governs and the directives
// inside.
//
// Threads     pure.
// Cost        linear in the text, times the depth of nested directives.
#pragma once

#include <cstddef>
#include <stretto/error.hpp>
#include <vector>

#include "cc/acc/directive.hpp"
#include "cc/acc/preprocessed_text.hpp"

namespace stretto::cc::acc {

/// Whether a directive governs the statement behind it; the others stand alone.
bool governs_statement(directive_kind kind) noexcept;
/// parallel, kernels, serial, and these combined with loop.
bool is_compute(directive_kind kind) noexcept;
/// loop, and parallel, kernels and serial combined with it.
bool is_loop(directive_kind kind) noexcept;

struct placed_directive {
  directive what;
  std::size_t pragma;       // index in pragmas() of the text
  std::size_t first, last;  // [first, last) of program(): the statement; of one that stands alone, the next token twice
  std::vector<placed_directive> inside = {};
};

struct directive_tree {
  std::vector<placed_directive> outermost;
  std::vector<error> refused;  // O01 to O06, in the order of the source
};

/// Finds all directives and their statements. A directive that cannot be read, or stands where it may not, is left out
/// and reported: O05 if another statement follows than the directive needs, O06 if it may not stand inside the one
/// around it.
directive_tree read_directives(const preprocessed_text& source);

}  // namespace stretto::cc::acc
