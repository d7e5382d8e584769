#include "cc/acc/reduction_statement.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cc/acc/atomic_operation.hpp"

namespace stretto::cc::acc {
namespace {

using operation = std::optional<reduction_operator>;
using op = reduction_operator;

constexpr std::array<std::pair<std::string_view, op>, 8> signs{{{"+", op::add},
                                                                {"-", op::add},
                                                                {"*", op::multiply},
                                                                {"&", op::bit_and},
                                                                {"|", op::bit_or},
                                                                {"^", op::bit_xor},
                                                                {"&&", op::logical_and},
                                                                {"||", op::logical_or}}};

operation operation_of(std::string_view sign) {
  const auto* const found = std::ranges::find(signs, sign, &std::pair<std::string_view, op>::first);
  return found == signs.end() ? std::nullopt : operation(found->second);
}

class reduction_reader {
 public:
  explicit reduction_reader(const declaration* of) : of_(of) {}

  operation read(const statement& code) {
    visit(code);
    return is_other_ ? std::nullopt : found_;
  }

 private:
  bool is_variable(const expression& e) const { return e.is == expression_form::name && e.of == of_; }
  bool uses(const expression& e) const {
    return is_variable(e) || std::ranges::any_of(e.parts, [this](const expression& part) { return uses(part); });
  }

  void visit(const statement& s) {
    if (s.is == statement_form::if_ && s.parts.size() == 1)
      if (const operation extreme = extreme_of_if(s)) return add(extreme);
    for (const local_variable& one : s.variables) {
      is_other_ |= uses(one.initial);
      for (const expression& extent : one.extents) is_other_ |= uses(extent);
    }
    for (const expression& e : s.values) {
      if (!uses(e)) continue;
      const bool is_statement = s.is == statement_form::evaluate;
      visit(e, is_statement);
    }
    for (const statement& part : s.parts) visit(part);
  }

  void visit(const expression& e, bool is_statement) {
    const bool is_list = e.is == expression_form::binary && e.spelling == ",";
    if (is_statement && is_list) {
      for (const expression& part : e.parts)
        if (uses(part)) visit(part, true);
      return;
    }
    const operation one = is_statement ? operation_of(e) : std::nullopt;
    if (one) add(one);
    else is_other_ = true;
  }

  void add(operation one) {
    is_other_ |= found_ && *found_ != *one;
    found_ = one;
  }

  operation operation_of(const expression& e) const {
    const bool is_step = (e.is == expression_form::unary || e.is == expression_form::postfix) &&
                         (e.spelling == "++" || e.spelling == "--");
    if (is_step) return is_variable(e.parts[0]) ? operation(op::add) : std::nullopt;
    if (e.is != expression_form::binary || !is_variable(e.parts[0])) return std::nullopt;
    const expression& value = e.parts[1];
    if (e.spelling == "=") return operation_of_value(value);
    if (e.spelling.size() < 2 || !e.spelling.ends_with("=") || uses(value)) return std::nullopt;
    return acc::operation_of(std::string_view(e.spelling).substr(0, e.spelling.size() - 1));
  }

  /// s + x, x + s, s - x, x > s ? x : s, fmax(s, x).
  operation operation_of_value(const expression& value) const {
    if (value.is == expression_form::conditional) return extreme_of(value.parts[0], value.parts[1], value.parts[2]);
    if (value.is == expression_form::call) return extreme_of_call(value);
    if (value.is != expression_form::binary) return std::nullopt;
    const bool is_left = is_variable(value.parts[0]), is_right = is_variable(value.parts[1]);
    if (is_left == is_right || uses(value.parts[is_left ? 1 : 0])) return std::nullopt;
    if (is_right && value.spelling == "-") return std::nullopt;
    return acc::operation_of(value.spelling);
  }

  operation extreme_of_call(const expression& call) const {
    if (call.parts.size() != 3 || call.parts[0].is != expression_form::name) return std::nullopt;
    const bool is_left = is_variable(call.parts[1]), is_right = is_variable(call.parts[2]);
    if (is_left == is_right || uses(call.parts[is_left ? 2 : 1])) return std::nullopt;
    const std::string& name = call.parts[0].spelling;
    if (name == "fmax" || name == "fmaxf") return op::max;
    return name == "fmin" || name == "fminf" ? operation(op::min) : std::nullopt;
  }

  /// The variable gets the greater or the lesser of itself and another value.
  operation extreme_of(const expression& condition, const expression& then, const expression& otherwise) const {
    if (condition.is != expression_form::binary) return std::nullopt;
    const std::string_view sign = condition.spelling;
    const bool is_greater = sign == ">" || sign == ">=", is_less = sign == "<" || sign == "<=";
    if (!is_greater && !is_less) return std::nullopt;
    const bool chooses_left = is_same(condition.parts[0], then) && is_same(condition.parts[1], otherwise);
    const bool chooses_right = is_same(condition.parts[1], then) && is_same(condition.parts[0], otherwise);
    const expression& value = is_variable(then) ? otherwise : then;
    const bool has_both = is_variable(then) != is_variable(otherwise) && !uses(value);
    if (!has_both || (!chooses_left && !chooses_right)) return std::nullopt;
    return is_greater == chooses_left ? op::max : op::min;
  }

  /// if (x > s) s = x;
  operation extreme_of_if(const statement& s) const {
    const statement* then = &s.parts[0];
    while (then->is == statement_form::block && then->parts.size() == 1) then = &then->parts[0];
    if (then->is != statement_form::evaluate) return std::nullopt;
    const expression& set = then->values[0];
    const bool is_set = set.is == expression_form::binary && set.spelling == "=" && is_variable(set.parts[0]);
    return is_set ? extreme_of(s.values[0], set.parts[1], set.parts[0]) : std::nullopt;
  }

  const declaration* const of_;
  operation found_;
  bool is_other_ = false;
};

}  // namespace

std::optional<reduction_operator> reduction_in(const statement& code, const declaration* variable) {
  return reduction_reader(variable).read(code);
}

}  // namespace stretto::cc::acc
