#include "cc/acc/expression_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stretto/error.hpp>
#include <utility>
#include <vector>

#include "cc/acc/c_types.hpp"
#include "cc/acc/operator_precedence.hpp"
#include "cc/is_in.hpp"

namespace stretto::cc::acc {
namespace {

constexpr std::array signs_ahead{"-", "+", "!", "~", "*", "&", "++", "--"};

}  // namespace

bool expression_reader::skip_if(std::string_view spelling) {
  const bool found = is(spelling);
  at_ += found ? 1 : 0;
  return found;
}

void expression_reader::require(std::string_view spelling) {
  if (!skip_if(spelling)) refuse(at_ < last_ ? program()[at_].spelling : "the end of the statement");
}

void expression_reader::refuse(const std::string& what) const {
  const auto& all = program();
  const std::size_t at = std::min(at_, all.size() - 1);
  const source_line where = source_.line_at(all[at].offset);
  throw error("O09", "a region on a device has code that cannot be translated")
      .fact("at", fmt::format("{}:{}", where.file, where.line))
      .fact("found", what)
      .because("no device runs assembly, computed jumps or statements in expressions")
      .remedy("move this code out of the region");
}

bool expression_reader::begins_label() const {
  return at_ < last_ && program()[at_].is == token::what::name && is_followed_by(":");
}

expression expression_reader::begun(expression_form form) const {
  return {.is = form, .offset = at_ < program().size() ? program()[at_].offset : 0};
}

expression expression_reader::read_value() { return read_binary(precedence_of_assignment); }
expression expression_reader::read_constant() { return read_binary(precedence_of_condition); }

expression expression_reader::read_binary(int least) {
  expression left = read_unary();
  while (at_ < last_) {
    const std::string sign = sign_at(at_);
    const int precedence = precedence_of(sign);
    if (precedence < std::max(least, 1)) break;
    ++at_;
    if (sign == "?") {
      left = read_conditional(std::move(left));
      continue;
    }
    expression result{.is = expression_form::binary, .offset = left.offset, .spelling = sign};
    // Assignments group from right to left.
    expression right = read_binary(precedence == precedence_of_assignment ? precedence : precedence + 1);
    if (sign != "=" && sign != ",") check_operand(left, sign), check_operand(right, sign);
    result.type = type_of_binary(sign, left.type, right.type);
    result.parts.push_back(std::move(left));
    result.parts.push_back(std::move(right));
    left = std::move(result);
  }
  return left;
}

expression expression_reader::read_conditional(expression&& condition) {
  expression result{.is = expression_form::conditional, .offset = condition.offset};
  result.parts.push_back(std::move(condition));
  result.parts.push_back(read_expression());
  require(":");
  result.parts.push_back(read_binary(precedence_of_condition));
  result.type = type_of_conditional(result.parts[1].type, result.parts[2].type);
  return result;
}

expression expression_reader::read_unary() {
  if (skip_if("__extension__")) return read_unary();
  if (is("sizeof")) return read_sizeof();
  if (is("(")) {
    ++at_;
    const bool is_cast = begins_type();
    --at_;
    if (is_cast) return read_cast();
  }
  if (at_ >= last_ || !is_in(signs_ahead, sign_at(at_))) return read_postfix();
  expression result = begun(expression_form::unary);
  result.spelling = sign_at(at_++);
  result.parts.push_back(read_unary());
  result.type = type_of_unary(result.spelling, result.parts[0].type);
  return result;
}

expression expression_reader::read_sizeof() {
  expression result = begun(expression_form::size_of);
  require("sizeof");
  result.type = number_type("unsigned long");
  if (is("(")) {
    ++at_;
    if (begins_type()) {
      result.named = read_type();
      require(")");
      return result;
    }
    --at_;
  }
  result.parts.push_back(read_unary());
  return result;
}

expression expression_reader::read_cast() {
  expression result = begun(expression_form::cast);
  require("(");
  result.type = read_type();
  require(")");
  result.parts.push_back(is("{") ? read_list() : read_unary());
  return result;
}

expression expression_reader::read_postfix() {
  expression result = read_primary();
  for (;;) {
    if (is("[")) result = read_element(std::move(result));
    else if (is("(")) result = read_call(std::move(result));
    else if (is(".")) result = read_member(std::move(result), expression_form::member);
    else if (is("->")) result = read_member(std::move(result), expression_form::arrow);
    else if (is("++") || is("--")) {
      expression whole{
          .is = expression_form::postfix, .offset = result.offset, .spelling = spelling(), .type = result.type};
      whole.parts.push_back(std::move(result));
      result = std::move(whole);
      ++at_;
    } else {
      return result;
    }
  }
}

expression expression_reader::read_element(expression&& array) {
  expression result{.is = expression_form::element, .offset = array.offset};
  check_operand(array, "[]");
  require("[");
  expression index = read_expression();
  require("]");
  const type_ref pointer = decayed(array.type);
  result.type = pointer ? pointer->element : nullptr;
  result.parts.push_back(std::move(array));
  result.parts.push_back(std::move(index));
  return result;
}

expression expression_reader::read_call(expression&& function) {
  expression result{.is = expression_form::call, .offset = function.offset};
  if (function.type) {
    const auto& type = function.type->is == type_form::pointer ? function.type->element : function.type;
    result.type = type && type->is == type_form::function ? type->element : nullptr;
  }
  result.parts.push_back(std::move(function));
  require("(");
  if (skip_if(")")) return result;
  do result.parts.push_back(read_value());
  while (skip_if(","));
  require(")");
  return result;
}

expression expression_reader::read_member(expression&& record, expression_form form) {
  expression result{.is = form, .offset = record.offset};
  ++at_;
  if (at_ >= last_ || program()[at_].is != token::what::name) refuse("no name of a member");
  result.spelling = program()[at_++].spelling;
  const type_ref of = form == expression_form::arrow && record.type ? decayed(record.type)->element : record.type;
  if (of) result.type = type_of_member(*of, result.spelling);
  if (is_cxx() && !result.type && is("("))
    refuse_cxx(fmt::format("a call of the member function \"{}\"", result.spelling),
               "keep its result in a variable ahead of the region");
  result.parts.push_back(std::move(record));
  return result;
}

expression expression_reader::read_primary() {
  if (at_ >= last_) refuse("the end of the statement");
  const token& t = program()[at_];
  if (t == "(") {
    if (is_followed_by("{")) refuse("a statement in an expression");
    ++at_;
    expression result = read_expression();
    require(")");
    return result;
  }
  if (is_cxx())
    if (auto found = read_cxx_primary()) return std::move(*found);
  if (t.is == token::what::name) return read_name();
  if (t.is == token::what::sign) refuse(t.spelling);
  expression result = begun(expression_form::literal);
  result.spelling = t.spelling;
  ++at_;
  result.type = type_of_literal(t);
  for (; t.is == token::what::text && at_ < last_ && program()[at_].is == token::what::text; ++at_)
    result.spelling += " " + program()[at_].spelling;
  return result;
}

/// Variables are written with their path, functions as in the source.
expression expression_reader::read_name() {
  expression result = begun(expression_form::name);
  const std::size_t last = end_of_qualified(at_);
  for (; at_ <= last; ++at_) result.spelling += program()[at_].spelling;
  result.of = names_.at(program()[last].offset);
  if (!result.of) return result;
  result.type = std::make_shared<const c_type>(result.of->type);
  const bool is_written =
      result.of->is == declaration::place::function || result.of->is == declaration::place::constant;
  if (!is_written) result.spelling = result.of->path;
  if (is_cxx()) check_name(result);
  if (is_cxx() && result.of->is == declaration::place::function && is("<")) skip_template_arguments(result);
  return result;
}

expression expression_reader::read_initializer() { return is("{") ? read_list() : read_value(); }

expression expression_reader::read_list() {
  expression result = begun(expression_form::list);
  require("{");
  while (!is("}")) {
    result.parts.push_back(is(".") || is("[") ? read_designated() : read_initializer());
    if (!skip_if(",")) break;
  }
  require("}");
  return result;
}

expression expression_reader::read_designated() {
  expression result = begun(expression_form::designated);
  while (!is("=") && at_ < last_) result.spelling += program()[at_++].spelling;
  require("=");
  result.parts.push_back(read_initializer());
  return result;
}

}  // namespace stretto::cc::acc
