// atomic_operation.hpp - what the statement of an atomic directive does: which object it changes to which value, and
// which variable gets the value before or after that.
//
// Threads     pure.
// Source      OpenACC 3.3, section 2.12.
#pragma once

#include <optional>

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

/// Whether two expressions are written the same.
bool is_same(const expression& one, const expression& other);

}  // namespace stretto::cc::acc
