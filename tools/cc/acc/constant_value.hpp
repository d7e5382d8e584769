// constant_value.hpp - the values of expressions in clauses that are constant: numbers and constants of enumerations.
//
// Threads     pure.
#pragma once

#include <cstdint>
#include <optional>

#include "cc/acc/data_item.hpp"

namespace stretto::cc::acc {

/// Of +, -, *, / and % of integers, with parentheses. Nothing for other expressions and for values that overflow.
///
///   scope    where the clause stands
std::optional<std::int64_t> constant_value(const tokens& expression, const name_scope& scope);

}  // namespace stretto::cc::acc
