// c_types.hpp - types of C that the source does not name: of literals, of keywords, and of what operators compute.
//
// Threads     pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

/// "unsigned", "long", "const", ...: a keyword that types of numbers, or qualifiers, consist of.
bool is_type_keyword(std::string_view word) noexcept;

/// The type that such keywords make in any order, as "unsigned long int"; null if they make none.
type_ref type_of_keywords(std::span<const std::string> keywords);
/// The same, of a name as C writes it: "unsigned long". It must be one.
type_ref number_type(std::string_view name);

/// Of a number, a character or a text.
type_ref type_of_literal(const token& literal);

/// An array, or a pointer to one.
inline bool has_elements(const c_type& type) noexcept {
  return type.is == type_form::array || type.is == type_form::pointer;
}

/// The same type of a variable that may change.
type_ref without_const(const type_ref& type);
type_ref pointer_to(type_ref element);
/// Of an array a pointer to its first element; other types as they are.
type_ref decayed(const type_ref& type);
/// The type of the result of an operator with two operands; null if the type of one is not known.
type_ref type_of_binary(std::string_view sign, const type_ref& left, const type_ref& right);
/// The type of a conditional expression with two values.
type_ref type_of_conditional(const type_ref& one, const type_ref& other);
/// The type of the result of an operator ahead of its operand.
type_ref type_of_unary(std::string_view sign, const type_ref& operand);
/// Of a member of a record; null if there is no such member.
type_ref type_of_member(const c_type& record, std::string_view member);

}  // namespace stretto::cc::acc
