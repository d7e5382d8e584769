#include "cc/acc/loop_shape.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace stretto::cc::acc {
namespace {

bool is(const expression& e, const declaration* variable) { return e.is == expression_form::name && e.of == variable; }
bool is_sign(const expression& e, std::string_view sign) {
  return e.is == expression_form::binary && e.spelling == sign;
}

/// i = first, or int i = first.
bool read_start(const statement& s, loop_shape& into) {
  if (s.is == statement_form::declarations && s.variables.size() == 1 &&
      s.variables[0].initial.is != expression_form::none) {
    into.variable = s.variables[0].of;
    into.first = s.variables[0].initial;
    return true;
  }
  if (s.is != statement_form::evaluate || !is_sign(s.values[0], "=")) return false;
  const expression& start = s.values[0];
  into.variable = start.parts[0].is == expression_form::name ? start.parts[0].of : nullptr;
  into.first = start.parts[1];
  return into.variable != nullptr;
}

/// i < last, also written last > i.
bool read_condition(const expression& e, loop_shape& into) {
  if (e.is != expression_form::binary) return false;
  const bool is_less = e.spelling == "<" || e.spelling == "<=";
  const bool is_greater = e.spelling == ">" || e.spelling == ">=";
  const bool is_unequal = e.spelling == "!=";
  if (!is_less && !is_greater && !is_unequal) return false;
  const bool is_left = is(e.parts[0], into.variable);
  if (!is_left && !is(e.parts[1], into.variable)) return false;
  into.last = e.parts[is_left ? 1 : 0];
  into.is_last_included = e.spelling.ends_with("=") && !is_unequal;
  into.goes_down = is_left ? is_greater : is_less;
  return true;
}

/// ++i, i++, i += step, i = i + step, i = step + i, and the same down.
bool read_step(const expression& e, loop_shape& into, bool& goes_down) {
  const bool is_single =
      (e.is == expression_form::unary || e.is == expression_form::postfix) && is(e.parts[0], into.variable);
  if (is_single && (e.spelling == "++" || e.spelling == "--")) {
    goes_down = e.spelling == "--";
    return true;
  }
  if ((is_sign(e, "+=") || is_sign(e, "-=")) && is(e.parts[0], into.variable)) {
    goes_down = e.spelling == "-=";
    into.step = e.parts[1];
    return true;
  }
  if (!is_sign(e, "=") || !is(e.parts[0], into.variable)) return false;
  const expression& sum = e.parts[1];
  if (!is_sign(sum, "+") && !is_sign(sum, "-")) return false;
  const bool is_left = is(sum.parts[0], into.variable);
  if (!is_left && (sum.spelling == "-" || !is(sum.parts[1], into.variable))) return false;
  goes_down = sum.spelling == "-";
  into.step = sum.parts[is_left ? 1 : 0];
  return true;
}

bool uses_any(const expression& e, const std::set<const declaration*>& any) {
  if (e.is == expression_form::name && any.contains(e.of)) return true;
  return std::ranges::any_of(e.parts, [&](const expression& part) { return uses_any(part, any); });
}

}  // namespace

std::optional<loop_shape> loop_shape_of(const statement& loop) {
  loop_shape result;
  if (loop.is != statement_form::for_ || !read_start(loop.parts[0], result)) return std::nullopt;
  if (result.variable->type.is != type_form::integer && result.variable->type.is != type_form::pointer)
    return std::nullopt;
  bool steps_down = false;
  if (!read_condition(loop.values[0], result) || !read_step(loop.values[1], result, steps_down)) return std::nullopt;
  // With != the step gives the direction; a step of the other direction than the condition's never ends.
  if (loop.values[0].spelling == "!=") result.goes_down = steps_down;
  if (result.goes_down != steps_down) return std::nullopt;
  result.body = &loop.parts[1];
  return result;
}

const statement& only_statement(const statement& block) {
  const statement* at = &block;
  while (at->is == statement_form::block && at->parts.size() == 1) at = &at->parts[0];
  return *at;
}

std::vector<loop_shape> nested_shapes(const statement& loop, std::size_t depth) {
  std::vector<loop_shape> all;
  const statement* next = &loop;
  while (all.size() < depth) {
    const auto shape = loop_shape_of(*next);
    if (!shape) break;
    all.push_back(*shape);
    next = shape->body;
    while (next->is == statement_form::block && next->parts.size() == 1) next = &next->parts[0];
  }
  return all;
}

std::size_t independent_loops(const std::vector<loop_shape>& shapes) {
  std::set<const declaration*> changed;
  std::size_t count = 0;
  for (const loop_shape& one : shapes) {
    if (count > 0 && (uses_any(one.first, changed) || uses_any(one.last, changed) || uses_any(one.step, changed)))
      break;
    changed.insert(one.variable);
    ++count;
  }
  return std::max<std::size_t>(count, 1);
}

}  // namespace stretto::cc::acc
