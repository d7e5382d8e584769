#include "cc/acc/atomic_operation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cc/acc/c_types.hpp"
#include "cc/acc/operator_precedence.hpp"
#include "cc/acc/written_variables.hpp"

namespace stretto::cc::acc {
namespace {

bool has(const expression& e, const expression& part) {
  return is_same(e, part) || std::ranges::any_of(e.parts, [&](const expression& one) { return has(one, part); });
}

expression binary(std::string sign, const expression& left, const expression& right) {
  expression result{.is = expression_form::binary, .offset = left.offset, .spelling = std::move(sign)};
  result.type = type_of_binary(result.spelling, left.type, right.type);
  result.parts = {left, right};
  return result;
}

/// x++, x op= e, x = e.
std::optional<atomic_operation> change_of(const expression& e) {
  const bool is_step = (e.is == expression_form::postfix || e.is == expression_form::unary) &&
                       (e.spelling == "++" || e.spelling == "--");
  if (is_step) {
    const expression one{.is = expression_form::literal, .spelling = "1", .type = number_type("int")};
    return atomic_operation{.target = e.parts[0], .next = binary(e.spelling.substr(1), e.parts[0], one)};
  }
  if (!is_assignment(e)) return std::nullopt;
  atomic_operation result{.target = e.parts[0]};
  if (e.spelling == "=") result.next = e.parts[1];
  else result.next = binary(e.spelling.substr(0, e.spelling.size() - 1), e.parts[0], e.parts[1]);
  result.is_write = !has(result.next, result.target);
  return result;
}

const expression* evaluated(const statement& s) {
  if (s.is == statement_form::evaluate) return &s.values[0];
  return s.is == statement_form::block && s.parts.size() == 1 ? evaluated(s.parts[0]) : nullptr;
}

/// { v = x; x op= e; } or { x op= e; v = x; }
std::optional<atomic_operation> block_operation(const statement& s) {
  const expression *const first = evaluated(s.parts[0]), *const second = evaluated(s.parts[1]);
  if (!first || !second) return std::nullopt;
  const auto captures = [](const expression& e, const expression& target) {
    return e.is == expression_form::binary && e.spelling == "=" && is_same(e.parts[1], target);
  };
  if (auto change = change_of(*second); change && captures(*first, change->target)) {
    change->into = first->parts[0];
    return change;
  }
  auto change = change_of(*first);
  if (!change || !captures(*second, change->target)) return std::nullopt;
  change->into = second->parts[0];
  change->gets_next = true;
  return change;
}

}  // namespace

bool is_same(const expression& one, const expression& other) {
  return one.is == other.is && one.spelling == other.spelling && one.of == other.of &&
         std::ranges::equal(one.parts, other.parts, is_same);
}

std::optional<atomic_operation> atomic_operation_of(const statement& s) {
  const directive& d = s.directive->what;
  if (s.is == statement_form::block && s.parts.size() == 2) return block_operation(s);
  const expression* const e = evaluated(s);
  if (!e) return std::nullopt;
  if (!d.find(clause_kind::capture) && !d.find(clause_kind::read)) return change_of(*e);
  if (e->is != expression_form::binary || e->spelling != "=") return std::nullopt;
  if (d.find(clause_kind::read)) return atomic_operation{.target = e->parts[1], .into = e->parts[0]};
  auto change = change_of(e->parts[1]);
  if (!change) return std::nullopt;
  change->into = e->parts[0];
  change->gets_next = e->parts[1].is != expression_form::postfix;
  return change;
}

std::string_view operator_of_target::integer_function(const c_type& target) const {
  constexpr std::pair<std::string_view, std::string_view> known[] = {
      {"+", "add"}, {"-", "sub"}, {"&", "and"}, {"|", "or"}, {"^", "xor"}};
  const c_type* const type = operand->type.get();
  const bool are_integers = target.is == type_form::integer && type && type->is == type_form::integer;
  if (!are_integers || (sign == "-" && !is_target_first)) return "";
  const auto* const found = std::ranges::find(known, sign, [](const auto& one) { return one.first; });
  return found == std::end(known) ? "" : found->second;
}

std::optional<operator_of_target> operator_of(const atomic_operation& of) {
  if (of.next.is != expression_form::binary) return std::nullopt;
  for (const std::size_t place : {std::size_t{0}, std::size_t{1}}) {
    const expression& operand = of.next.parts[1 - place];
    if (is_same(of.next.parts[place], of.target) && !has(operand, of.target))
      return {{of.next.spelling, &operand, place == 0}};
  }
  return std::nullopt;
}

expression name_expression(std::string name) { return {.is = expression_form::literal, .spelling = std::move(name)}; }

expression with_name(const expression& e, const expression& part, const std::string& name) {
  if (is_same(e, part)) return name_expression(name);
  expression result = e;
  for (expression& one : result.parts) one = with_name(one, part, name);
  return result;
}

}  // namespace stretto::cc::acc
