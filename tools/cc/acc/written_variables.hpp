// written_variables.hpp - the variables that code changes, or whose address it takes.
//
// Threads     pure.
// Cost        linear in the code.
#pragma once

#include <set>

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

using written_variables = std::set<const declaration*>;

/// Those that are assigned to, stepped, or whose address is taken, as a whole or by members and elements of arrays. An
/// initialisation is no change.
written_variables writes_in(const statement& code);

/// =, += and the like.
bool is_assignment(const expression& e);

}  // namespace stretto::cc::acc
