#include "cc/acc/index_form.hpp"

#include <algorithm>
#include <ranges>
#include <string>

namespace stretto::cc::acc {
namespace {

using form = std::optional<index_form>;

form form_of_literal(const std::string& spelling) {
  std::string digits = spelling;
  while (!digits.empty() && std::string_view("uUlL").find(digits.back()) != std::string_view::npos) digits.pop_back();
  if (digits.empty() || digits.size() > 18) return std::nullopt;
  const bool is_decimal = digits.find_first_not_of("0123456789") == std::string::npos;
  if (!is_decimal || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  return index_form(std::stoll(digits));
}

form negated(const form& one) { return one ? sum(index_form(), *one, -1) : std::nullopt; }

form form_of_binary(const expression& e, const name_form& of_name) {
  const form left = form_of(e.parts[0], of_name), right = form_of(e.parts[1], of_name);
  if (!left || !right) return std::nullopt;
  if (e.spelling == "+") return sum(*left, *right);
  if (e.spelling == "-") return sum(*left, *right, -1);
  if (e.spelling == "*") return product_of(*left, *right);
  const auto a = left->constant(), b = right->constant();
  if (e.spelling == "/" && a && b && *b > 0) return index_form(*a / *b);
  return std::nullopt;
}

/// Whether a factor of a term is at least 1: a loop says so, as n - 1 - 0 >= 0 says it of n.
bool is_positive_variable(const declaration* variable, const loop_ranges& loops) {
  return std::ranges::any_of(loops, [&](const loop_range& one) {
    if (!one.first || !one.last) return false;
    const form length = sum(*one.last, *one.first, -1);
    const form rest = length ? sum(index_form(variable), *length, -1) : std::nullopt;
    const auto least = rest ? rest->constant() : std::nullopt;
    return least && *least >= 1;
  });
}

}  // namespace

index_form::index_form(std::int64_t constant) {
  if (constant != 0) terms_[{}] = constant;
}

std::optional<std::int64_t> index_form::constant() const {
  if (terms_.empty()) return 0;
  const auto& [of, factor] = *terms_.begin();
  return terms_.size() == 1 && of.empty() ? std::optional(factor) : std::nullopt;
}

bool index_form::uses(const declaration* variable) const {
  return std::ranges::any_of(
      terms_, [&](const auto& term) { return std::ranges::find(term.first, variable) != term.first.end(); });
}

bool index_form::add(const product& of, std::int64_t factor) {
  std::int64_t& to = terms_[of];
  if (__builtin_add_overflow(to, factor, &to)) return false;
  if (to == 0) terms_.erase(of);
  return true;
}

std::optional<std::pair<index_form, index_form>> index_form::split(const declaration* variable) const {
  std::pair<index_form, index_form> result;
  for (const auto& [of, factor] : terms_) {
    const auto times = std::ranges::count(of, variable);
    if (times > 1) return std::nullopt;
    product others = of;
    std::erase(others, variable);
    (times == 1 ? result.first : result.second).terms_[others] = factor;
  }
  return result;
}

std::optional<index_form> sum(const index_form& one, const index_form& other, std::int64_t factor) {
  index_form result = one;
  for (const auto& [of, times] : other.terms_) {
    std::int64_t more = 0;
    if (__builtin_mul_overflow(times, factor, &more) || !result.add(of, more)) return std::nullopt;
  }
  return result;
}

std::optional<index_form> product_of(const index_form& one, const index_form& other) {
  index_form result;
  for (const auto& [left, times] : one.terms_)
    for (const auto& [right, by] : other.terms_) {
      index_form::product both = left;
      both.insert(both.end(), right.begin(), right.end());
      std::ranges::sort(both);
      std::int64_t factor = 0;
      if (both.size() > 4 || __builtin_mul_overflow(times, by, &factor) || !result.add(both, factor))
        return std::nullopt;
    }
  return result;
}

std::optional<index_form> form_of(const expression& e, const name_form& of_name) {
  switch (e.is) {
    case expression_form::literal: return form_of_literal(e.spelling);
    case expression_form::name: {
      if (!e.of) return std::nullopt;
      if (e.of->is == declaration::place::constant) return index_form(e.of->value);
      return e.of->type.is == type_form::integer ? of_name(*e.of) : std::nullopt;
    }
    case expression_form::cast: {
      const bool keeps_value = e.type && e.type->is == type_form::integer && e.type->bytes >= sizeof(int);
      return keeps_value ? form_of(e.parts[0], of_name) : std::nullopt;
    }
    case expression_form::unary:
      if (e.spelling == "-") return negated(form_of(e.parts[0], of_name));
      return e.spelling == "+" ? form_of(e.parts[0], of_name) : std::nullopt;
    case expression_form::binary: return form_of_binary(e, of_name);
    default: return std::nullopt;
  }
}

bool is_positive(const index_form& form, const loop_ranges& loops) {
  __int128 least = 0;  // each product of variables is at least 1
  for (const auto& [of, factor] : form.terms()) {
    const bool is_variable = !of.empty();
    if (is_variable && factor < 0) return false;
    if (!std::ranges::all_of(of, [&](auto* one) { return is_positive_variable(one, loops); })) return false;
    least += factor;
  }
  return least > 0;
}

std::optional<index_form> extreme(index_form form, const loop_ranges& loops, bool is_greatest) {
  for (const loop_range& one : loops | std::views::reverse) {
    if (!form.uses(one.variable)) continue;
    const auto parts = form.split(one.variable);
    if (!parts || !one.first || !one.last) return std::nullopt;
    const bool goes_up = is_positive(parts->first, loops);
    const auto down = sum(index_form(), parts->first, -1);
    if (!goes_up && !(down && is_positive(*down, loops))) return std::nullopt;
    const auto end = product_of(parts->first, goes_up == is_greatest ? *one.last : *one.first);
    const auto next = end ? sum(parts->second, *end) : std::nullopt;
    if (!next || next->uses(one.variable)) return std::nullopt;
    form = *next;
  }
  return form;
}

}  // namespace stretto::cc::acc
