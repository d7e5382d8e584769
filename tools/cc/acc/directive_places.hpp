// directive_places.hpp - where directives, and the functions around them, stand in the text.
//
// Threads     pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cc/acc/directive_tree.hpp"
#include "cc/acc/preprocessed_text.hpp"
#include "cc/acc/source_names.hpp"

namespace stretto::cc::acc {

/// Refers to the source. All results but those of is_at_file_scope are offsets in its text.
class directive_places {
 public:
  explicit directive_places(const preprocessed_text& source);

  std::size_t offset_of(std::size_t token) const;
  /// Behind the statement that a directive governs; behind the directive if there is none.
  std::size_t end_of(const placed_directive& one) const;
  /// Where the definition begins in which a directive stands.
  std::size_t function_of(const placed_directive& one) const { return offset_of(start_of_function(one.first)); }
  bool is_at_file_scope(const placed_directive& one) const;
  /// Where a variable in a directive `declare` ceases to be declared: at the end of the function.
  std::size_t end_of_declared(const placed_directive& one) const;
  /// Whole functions around the outermost directives: their declarations are wanted, too.
  std::vector<text_range> functions(const directive_tree& tree) const;
  /// A marker of the user's line, ahead of the rest of a line of the source.
  std::string mark(std::size_t offset) const;

 private:
  std::size_t start_of_function(std::size_t token) const;

  const preprocessed_text& source_;
  std::vector<std::size_t> functions_;  // tokens with which definitions begin
};

}  // namespace stretto::cc::acc
