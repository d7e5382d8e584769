// operator_precedence.hpp - how tightly the binary operators of C bind.
//
// Threads     pure.
#pragma once

#include <string_view>

namespace stretto::cc::acc {

inline constexpr int precedence_of_comma = 1, precedence_of_assignment = 2, precedence_of_condition = 3;
/// Of operators ahead of an operand and casts, and of those behind it.
inline constexpr int precedence_of_unary = 14, precedence_of_postfix = 15;

/// The greater the tighter; 0 if it is no operator between two operands. "?" is that of a condition.
constexpr int precedence_of(std::string_view sign) noexcept {
  if (sign == ",") return precedence_of_comma;
  if (sign == "?") return precedence_of_condition;
  if (sign == "||") return 4;
  if (sign == "&&") return 5;
  if (sign == "|") return 6;
  if (sign == "^") return 7;
  if (sign == "&") return 8;
  if (sign == "==" || sign == "!=") return 9;
  if (sign == "<" || sign == ">" || sign == "<=" || sign == ">=") return 10;
  if (sign == "<<" || sign == ">>") return 11;
  if (sign == "+" || sign == "-") return 12;
  if (sign == "*" || sign == "/" || sign == "%") return 13;
  const bool is_assignment = sign == "=" || (sign.size() >= 2 && sign.ends_with("="));
  return is_assignment ? precedence_of_assignment : 0;
}

}  // namespace stretto::cc::acc
