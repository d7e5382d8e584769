#include "cc/acc/reduction_text.hpp"

#include <fmt/format.h>

namespace stretto::cc::acc {
namespace {

/// The least value of a type, or the greatest.
std::string extreme_text(const c_type& type, bool is_greatest) {
  if (type.is == type_form::floating) return is_greatest ? "__builtin_inf()" : "-__builtin_inf()";
  if (type.is == type_form::boolean) return is_greatest ? "1" : "0";
  if (!type.is_signed) return is_greatest ? fmt::format("({})-1", type.spelling) : "0";
  const auto bits = 8 * type.bytes - 1;
  const std::string greatest = fmt::format("({})((1ULL << {}) - 1)", type.spelling, bits);
  return is_greatest ? greatest : fmt::format("-{} - 1", greatest);
}

}  // namespace

std::string identity_text(const c_type& type, reduction_operator operation) {
  switch (operation) {
    case reduction_operator::add:
    case reduction_operator::bit_or:
    case reduction_operator::bit_xor:
    case reduction_operator::logical_or: return "0";
    case reduction_operator::multiply:
    case reduction_operator::logical_and: return "1";
    case reduction_operator::bit_and: return "~0";
    case reduction_operator::max: return extreme_text(type, false);
    case reduction_operator::min: return extreme_text(type, true);
  }
  return "0";
}

std::string combination_text(const std::string& into, const std::string& from, reduction_operator operation) {
  const auto assigned = [&](std::string_view sign) { return fmt::format("{} {} {};", into, sign, from); };
  switch (operation) {
    case reduction_operator::add: return assigned("+=");
    case reduction_operator::multiply: return assigned("*=");
    case reduction_operator::bit_and: return assigned("&=");
    case reduction_operator::bit_or: return assigned("|=");
    case reduction_operator::bit_xor: return assigned("^=");
    case reduction_operator::logical_and: return fmt::format("{0} = {0} && {1};", into, from);
    case reduction_operator::logical_or: return fmt::format("{0} = {0} || {1};", into, from);
    case reduction_operator::max: return fmt::format("if ({1} > {0}) {0} = {1};", into, from);
    case reduction_operator::min: return fmt::format("if ({1} < {0}) {0} = {1};", into, from);
  }
  return "";
}

}  // namespace stretto::cc::acc
