// atomic_operation.hpp - what the statement of an atomic directive does: which object it changes to which value, and
// which variable gets the value before or after that.
//
// Threads     pure.
// Source      OpenACC 3.3, section 2.12.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

struct atomic_operation {
  expression target;       // the object that is read or changed
  expression next = {};    // its new value, in terms of the target; none: it is only read
  expression into = {};    // gets the value; none: nothing does
  bool gets_next = false;  // the new value, not the one before
  bool is_write = false;   // the new value does not depend on the one before
};

/// Nothing if the statement has no form that the directive allows.
std::optional<atomic_operation> atomic_operation_of(const statement& s);

/// A change of the form x op e, or e op x.
struct operator_of_target {
  std::string_view sign;
  const expression* operand;  // e
  bool is_target_first;       // x op e

  /// "add", "sub", "and", "or", "xor" where a function that exchanges no values changes the target; else "".
  std::string_view integer_function(const c_type& target) const;
};

/// Refers to the operation; nothing if its new value has another form.
std::optional<operator_of_target> operator_of(const atomic_operation& of);

/// Whether two expressions are written the same.
bool is_same(const expression& one, const expression& other);

/// A name of the translator.
expression name_expression(std::string name);
/// The expression with a name in place of each `part`.
expression with_name(const expression& e, const expression& part, const std::string& name);

}  // namespace stretto::cc::acc
