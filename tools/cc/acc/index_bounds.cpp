#include "cc/acc/index_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include "cc/acc/jumps.hpp"
#include "cc/acc/loop_shape.hpp"
#include "cc/acc/operator_precedence.hpp"
#include "cc/acc/variable_uses.hpp"

namespace stretto::cc::acc {
namespace {

using text = std::optional<std::string>;

bool is_name_of(const expression& e, const declaration* of) { return e.is == expression_form::name && e.of == of; }

/// a, or least(a, least(b, c)).
std::string nested(const std::vector<std::string>& all, const char* function) {
  std::string result = all.back();
  for (const std::string& one : all | std::views::reverse | std::views::drop(1))
    result = fmt::format("{}({}, {})", function, one, result);
  return result;
}

void add_once(std::vector<std::string>& all, std::string one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
}

/// Whether a statement may skip those behind it in an iteration of the loop around them.
bool may_leave_iteration(const statement& s) {
  const bool has_own_jumps = s.is == statement_form::for_ || s.is == statement_form::while_ ||
                             s.is == statement_form::do_ || s.is == statement_form::switch_;
  if (s.is == statement_form::continue_ || s.is == statement_form::break_) return true;
  return !has_own_jumps && std::ranges::any_of(s.parts, may_leave_iteration);
}

class bound_finder {
 public:
  bound_finder(const statement& region, const declaration* pointer)
      : pointer_(pointer), uses_(outer_variables(region)) {}

  std::optional<index_bounds> find(const statement& region) {
    if (has_jumps(region)) return std::nullopt;
    visit(region);
    const auto is_inside = [this](const std::string& one) {
      return std::ranges::find(first_, one) != first_.end() || std::ranges::find(last_, one) != last_.end();
    };
    if (!is_known_ || first_.empty() || !std::ranges::all_of(conditional_, is_inside)) return std::nullopt;
    return index_bounds{nested(first_, "stretto_acc_least"), nested(last_, "stretto_acc_greatest")};
  }

 private:
  void visit(const statement& s) {
    for (const local_variable& one : s.variables) visit(one.initial);
    const auto shape = loop_shape_of(s);
    if (shape) {
      visit(shape->first);
      visit(shape->last);
      loops_.push_back(*shape);
      visit(*shape->body);
      loops_.pop_back();
      return;
    }
    for (const expression& one : s.values) visit(one);
    const int conditions = conditions_;
    if (s.is == statement_form::if_ || s.is == statement_form::switch_) ++conditions_;
    for (const statement& one : s.parts) {
      visit(one);
      if (may_leave_iteration(one)) ++conditions_;
    }
    conditions_ = conditions;
  }

  void visit(const expression& e) {
    if (e.is == expression_form::size_of) return;
    if (is_name_of(e, pointer_)) is_known_ = false;
    const bool is_wanted = e.is == expression_form::element && is_name_of(e.parts[0], pointer_);
    if (is_wanted) add(e.parts[1]);
    const bool has_condition = e.is == expression_form::conditional || e.spelling == "&&" || e.spelling == "||";
    for (std::size_t i = is_wanted ? 1 : 0; i < e.parts.size(); ++i) {
      const int conditions = conditions_;
      if (has_condition && i > 0) ++conditions_;
      visit(e.parts[i]);
      conditions_ = conditions;
    }
  }

  void add(const expression& index) {
    text first = bound(index, false), last = bound(index, true);
    if (!first || !last) {
      is_known_ = false;
      return;
    }
    add_once(conditions_ > 0 ? conditional_ : first_, std::move(*first));
    add_once(conditions_ > 0 ? conditional_ : last_, std::move(*last));
  }

  text bound(const expression& e, bool is_greatest) const {
    switch (e.is) {
      case expression_form::literal: return e.spelling;
      case expression_form::cast: return bound(e.parts[0], is_greatest);
      case expression_form::name: return bound_of_name(e, is_greatest);
      case expression_form::unary:
        if (e.spelling == "-") return combined("-({})", bound(e.parts[0], !is_greatest));
        return e.spelling == "+" ? bound(e.parts[0], is_greatest) : std::nullopt;
      case expression_form::binary: return bound_of_binary(e, is_greatest);
      default: return std::nullopt;
    }
  }

  static text combined(const char* format, const text& one) {
    return one ? text(fmt::format(fmt::runtime(format), *one)) : std::nullopt;
  }
  static text combined(const text& left, const std::string& sign, const text& right) {
    return left && right ? text(fmt::format("({} {} {})", *left, sign, *right)) : std::nullopt;
  }

  text bound_of_binary(const expression& e, bool is_greatest) const {
    const text left = bound(e.parts[0], is_greatest);
    if (e.spelling == "+" || e.spelling == "*") return combined(left, e.spelling, bound(e.parts[1], is_greatest));
    if (e.spelling == "-") return combined(left, "-", bound(e.parts[1], !is_greatest));
    if (e.spelling == "/") return combined(left, "/", bound(e.parts[1], !is_greatest));
    if (e.spelling != "%") return std::nullopt;
    return is_greatest ? combined("({} - 1)", bound(e.parts[1], true)) : text("0");
  }

  text bound_of_name(const expression& e, bool is_greatest) const {
    for (const loop_shape& one : loops_ | std::views::reverse)
      if (one.variable == e.of) return bound_of_loop(one, is_greatest);
    if (e.of && e.of->is == declaration::place::constant) return fmt::format("{}", e.of->value);
    const auto found = std::ranges::find(uses_, e.of, &variable_use::of);
    const bool is_fixed = found != uses_.end() && !found->is_written && !found->is_address;
    return is_fixed && e.of->type.is == type_form::integer ? text(e.of->name) : std::nullopt;
  }

  text bound_of_loop(const loop_shape& loop, bool is_greatest) const {
    if (is_greatest == loop.goes_down) return bound(loop.first, is_greatest);
    const text last = bound(loop.last, is_greatest);
    if (loop.is_last_included) return last;
    return combined(is_greatest ? "({} - 1)" : "({} + 1)", last);
  }

  const declaration* const pointer_;
  const std::vector<variable_use> uses_;
  std::vector<loop_shape> loops_;  // around the place that is visited
  int conditions_ = 0;             // around that place
  std::vector<std::string> first_, last_;
  std::vector<std::string> conditional_;  // bounds of elements that are used under a condition
  bool is_known_ = true;
};

}  // namespace

std::optional<index_bounds> bounds_of(const statement& region, const declaration* pointer) {
  return bound_finder(region, pointer).find(region);
}

}  // namespace stretto::cc::acc
