// called_functions.hpp - the definitions of functions that regions call, found in the text of the program.
//
// Threads     one at a time uses an object.
// Cost        linear in the text; a function is read at its first use.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

/// The tokens of a definition at file scope: [first, last), with the function's name and its body inside.
struct function_tokens {
  std::size_t first, name, body, last;
};

/// By their names, of which C++ may have several functions.
using function_map = std::multimap<std::string, function_tokens>;

/// All functions that a source defines at file scope and in namespaces.
function_map function_definitions(const preprocessed_text& source);

/// The parts of a source, and those functions that are called in them, and in these: parts for read_names.
std::vector<text_range> with_called_functions(const preprocessed_text& source, const std::vector<text_range>& parts);

struct function_parameter {
  const declaration* of;
  std::vector<expression> rows;  // of a pointer to arrays: their extents, as written
};

struct function_definition {
  const declaration* of;
  std::vector<function_parameter> parameters;
  placed_directive whole;  // a routine, with the directives inside
  statement body;
};

/// Refers to the source, the names and the tree, and keeps what it has read.
class called_functions {
 public:
  called_functions(const preprocessed_text& source, const source_names& names, const directive_tree& tree)
      : source_(source), names_(names), tree_(tree), tokens_(function_definitions(source)) {}

  /// Null if the source has no definition of the function, or `names` does not cover it. Throws O09 if it cannot be
  /// read.
  const function_definition* find(const declaration& of) const;

 private:
  const function_tokens* definition_of(const declaration& of) const;
  std::unique_ptr<function_definition> read(const function_tokens& at) const;
  function_parameter read_parameter(std::size_t first, std::size_t last) const;

  const preprocessed_text& source_;
  const source_names& names_;
  const directive_tree& tree_;
  function_map tokens_;
  mutable std::map<const function_tokens*, std::unique_ptr<function_definition>> read_;
};

}  // namespace stretto::cc::acc
