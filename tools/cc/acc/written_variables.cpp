#include "cc/acc/written_variables.hpp"

#include "cc/acc/operator_precedence.hpp"

namespace stretto::cc::acc {
namespace {

/// The variable in which an object lies; null behind a pointer.
const declaration* variable_of_object(const expression& e) {
  if (e.is == expression_form::name) return e.of;
  const bool is_inside = e.is == expression_form::member || (e.is == expression_form::element && e.parts[0].type &&
                                                             e.parts[0].type->is == type_form::array);
  return is_inside ? variable_of_object(e.parts[0]) : nullptr;
}

bool changes_operand(const expression& e) {
  if (e.is == expression_form::postfix) return true;
  return e.is == expression_form::unary && (e.spelling == "++" || e.spelling == "--" || e.spelling == "&");
}

void add_writes(const expression& e, written_variables& into) {
  if (e.is == expression_form::size_of) return;
  if (changes_operand(e) || is_assignment(e))
    if (const declaration* const of = variable_of_object(e.parts[0])) into.insert(of);
  for (const expression& part : e.parts) add_writes(part, into);
}

void add_writes(const statement& s, written_variables& into) {
  for (const local_variable& one : s.variables) {
    for (const expression& extent : one.extents) add_writes(extent, into);
    add_writes(one.initial, into);
  }
  for (const expression& value : s.values) add_writes(value, into);
  for (const statement& part : s.parts) add_writes(part, into);
}

}  // namespace

bool is_assignment(const expression& e) {
  return e.is == expression_form::binary && precedence_of(e.spelling) == precedence_of_assignment;
}

written_variables writes_in(const statement& code) {
  written_variables all;
  add_writes(code, all);
  return all;
}

}  // namespace stretto::cc::acc
