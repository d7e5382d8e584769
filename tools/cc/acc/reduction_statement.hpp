// reduction_statement.hpp - statements that combine values into a variable by one operator: s += x, if (x > s) s = x.
//
// Threads     pure.
// Cost        linear in the code.
#pragma once

#include <optional>

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

/// The operator by which code combines values into a variable, if it does nothing else with it.
std::optional<reduction_operator> reduction_in(const statement& code, const declaration* variable);

}  // namespace stretto::cc::acc
