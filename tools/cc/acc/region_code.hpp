// region_code.hpp - the code of a region that runs on a device: typed expressions and statements of C.
//
// Threads     values.
// Memory      declarations belong to the source_names, and directives to the directive_tree, which the code was read
// from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cc/acc/directive_tree.hpp"
#include "cc/acc/source_names.hpp"

namespace stretto::cc::acc {

using type_ref = std::shared_ptr<const c_type>;

enum class expression_form : std::uint8_t {
  none,         // left out, as in for (;;)
  literal,      // spelling: as in the source
  name,         // of: what it means; null for a function that is declared nowhere
  member,       // parts: the record; spelling: the member
  arrow,        // parts: a pointer to the record; spelling: the member
  element,      // parts: array or pointer, index
  call,         // parts: the function, its arguments
  unary,        // spelling: the operator ahead of its operand
  postfix,      // ++ and -- behind their operand
  binary,       // also assignments and the comma
  conditional,  // parts: condition, value, value
  cast,         // type: the wanted one
  size_of,      // parts: the expression; none: of `named`
  list,         // {a, b}, of an initialisation
  designated,   // .member = value or [index] = value within a list; spelling: the designators
};

struct expression {
  expression_form is = expression_form::none;
  std::size_t offset = 0;              // of its first token, in the text
  std::string spelling = {};           // see above
  const declaration* of = nullptr;     // of names
  type_ref type = {};                  // null if it is not known
  type_ref named = {};                 // of sizeof(type)
  std::vector<expression> parts = {};  // operands
};

/// A variable that a statement declares.
struct local_variable {
  const declaration* of;
  std::vector<expression> extents = {};  // of an array, as written; `none` for []
  expression initial = {};
  bool is_static = false;
};

enum class statement_form : std::uint8_t {
  empty,
  block,         // parts
  declarations,  // variables
  evaluate,      // values: the expression
  if_,           // values: condition; parts: then, and else if there is one
  for_,          // values: condition, increment; parts: initialisation, body
  while_,        // values: condition; parts: body
  do_,           // values: condition; parts: body
  switch_,       // values: the number; parts: body
  case_,         // values: the constant
  default_,
  break_,
  continue_,
  return_,  // values: the result, which may be `none`
  goto_,    // values: `none` with the label as its spelling
  label_,   // the same, of the statement behind it
};

struct statement {
  statement_form is = statement_form::empty;
  std::size_t offset = 0;                       // of its first token, in the text
  const placed_directive* directive = nullptr;  // that governs it, the innermost one
  std::vector<expression> values = {};
  std::vector<statement> parts = {};
  std::vector<local_variable> variables = {};
};

}  // namespace stretto::cc::acc
