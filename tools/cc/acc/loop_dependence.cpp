#include "cc/acc/loop_dependence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cc/acc/data_item.hpp"
#include "cc/acc/loop_shape.hpp"
#include "cc/acc/written_variables.hpp"

namespace stretto::cc::acc {
namespace {

/// Whether one object may be of both types. Signed and unsigned integers may be one, and characters anything.
bool may_be_same_type(const type_ref& one, const type_ref& other) {
  if (!one || !other || one->bytes == 1 || other->bytes == 1) return true;
  if (one->is == type_form::record || other->is == type_form::record) return true;
  return one->is == other->is && one->bytes == other->bytes;
}

bool is_restrict(const declaration* of) {
  return of->type.is == type_form::pointer && of->type.spelling.find("restrict") != std::string::npos;
}

/// Whether two accesses may be of one array.
bool may_share_array(const memory_access& one, const memory_access& other) {
  if (!may_be_same_type(one.type, other.type)) return false;
  if (!one.base || !other.base || is_same(one.base, other.base)) return true;
  const auto is_array = [](const declaration* of) { return of->type.is != type_form::pointer; };
  if (is_array(one.base) && is_array(other.base)) return false;
  return !is_restrict(one.base) && !is_restrict(other.base);
}

/// The loop whose iterations are compared.
struct compared_loop {
  const declaration* variable;
  std::optional<std::int64_t> step;  // not negative
};

/// greatest(one) < least(other).
bool is_below(const index_form& one, const index_form& other, const loop_ranges& of_one, const loop_ranges& of_other,
              const loop_ranges& facts) {
  const auto high = extreme(one, of_one, true), low = extreme(other, of_other, false);
  const auto distance = high && low ? sum(*low, *high, -1) : std::nullopt;
  return distance && is_positive(*distance, facts);
}

/// Whether factor * step exceeds what the other parts of two indices can differ by, so that iterations stay apart.
bool steps_over(const index_form& factor, std::int64_t step, const index_form& rest, const index_form& other_rest,
                const memory_access& one, const memory_access& other, const loop_ranges& facts) {
  const auto high = extreme(rest, one.loops, true), low = extreme(other_rest, other.loops, false);
  const auto distance = high && low ? sum(*high, *low, -1) : std::nullopt;
  const auto stride = product_of(factor, index_form(step));
  const auto beyond = distance && stride ? sum(*stride, *distance, -1) : std::nullopt;
  return beyond && is_positive(*beyond, facts);
}

/// Whether no values of the variables make the indices equal: a common divisor of all factors does not divide what
/// they differ by.
bool differs_by_divisor(const index_form& one, const index_form& other) {
  std::int64_t divisor = 0;
  for (const index_form* form : {&one, &other})
    for (const auto& [of, factor] : form->terms())
      if (!of.empty()) divisor = std::gcd(divisor, factor);
  const auto constant_of = [](const index_form& form) {
    const auto found = form.terms().find({});
    return found == form.terms().end() ? 0 : found->second;
  };
  return divisor > 1 && (constant_of(one) - constant_of(other)) % divisor != 0;
}

bool is_apart(const index_form& a, const index_form& b, const memory_access& one, const memory_access& other,
              const compared_loop& loop) {
  loop_ranges facts = one.loops;
  facts.insert(facts.end(), other.loops.begin(), other.loops.end());
  if (is_below(a, b, one.loops, other.loops, facts) || is_below(b, a, other.loops, one.loops, facts)) return true;
  if (differs_by_divisor(a, b)) return true;
  auto left = a.split(loop.variable), right = b.split(loop.variable);
  if (!left || !right || left->first.terms() != right->first.terms() || left->first.terms().empty()) return false;
  const std::int64_t step = loop.step.value_or(1);
  index_form factor = left->first;
  if (const auto down = sum(index_form(), factor, -1); down && !is_positive(factor, facts)) factor = *down;
  return steps_over(factor, step, left->second, right->second, one, other, facts) &&
         steps_over(factor, step, right->second, left->second, other, one, facts);
}

/// Whether different iterations use different elements.
bool is_apart(const memory_access& one, const memory_access& other, const compared_loop& loop) {
  if (!one.base || !is_same(one.base, other.base)) return false;
  for (std::size_t i = 0; i < std::min(one.indices.size(), other.indices.size()); ++i)
    if (one.indices[i] && other.indices[i] && is_apart(*one.indices[i], *other.indices[i], one, other, loop))
      return true;
  return false;
}

std::string obstacle_between(const memory_access& one, const memory_access& other) {
  if (!one.base || !other.base) return fmt::format("\"{}\" and \"{}\" may be the same element", one.text, other.text);
  if (!is_same(one.base, other.base))
    return fmt::format("\"{}\" and \"{}\" may point to the same elements: neither is restrict", one.base->name,
                       other.base->name);
  if (one.text == other.text) return fmt::format("several iterations may use the same \"{}\"", one.text);
  return fmt::format("\"{}\" of one iteration may be \"{}\" of another", one.text, other.text);
}

std::string obstacle_in_memory(const std::vector<memory_access>& all, const compared_loop& loop) {
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i; j < all.size(); ++j) {
      const bool is_written = all[i].is_write || all[j].is_write;
      if (is_written && may_share_array(all[i], all[j]) && !is_apart(all[i], all[j], loop))
        return obstacle_between(all[i], all[j]);
    }
  return "";
}

bool uses_written(const expression& e, const written_variables& written) {
  if (e.is == expression_form::name && written.contains(e.of)) return true;
  if (e.is == expression_form::element || e.is == expression_form::arrow || e.is == expression_form::call) return true;
  return std::ranges::any_of(e.parts, [&](const expression& part) { return uses_written(part, written); });
}

/// Whether the number of iterations is known ahead.
bool is_countable(const loop_shape& shape) {
  written_variables written = writes_in(*shape.body);
  written.insert(shape.variable);
  return shape.variable->type.is == type_form::integer && !writes_in(*shape.body).contains(shape.variable) &&
         !uses_written(shape.first, written) && !uses_written(shape.last, written) &&
         !uses_written(shape.step, written);
}

std::optional<std::int64_t> step_of(const loop_shape& shape) {
  if (shape.step.is == expression_form::none) return 1;
  const auto form = form_of(shape.step, [](const declaration&) { return std::nullopt; });
  const auto step = form ? form->constant() : std::nullopt;
  return step && *step > 0 ? step : std::nullopt;
}

}  // namespace

loop_verdict dependence_of(const statement& loop, const std::vector<const declaration*>& given) {
  const auto shape = loop_shape_of(loop);
  if (!shape || !is_countable(*shape)) return {"the number of its iterations is not known ahead", {}};
  const loop_accesses accesses = accesses_of(loop);
  if (!accesses.obstacle.empty()) return {accesses.obstacle, {}};
  loop_verdict verdict;
  for (scalar_role& role : scalar_roles(*shape->body)) {
    if (role.of == shape->variable || std::ranges::find(given, role.of) != given.end()) continue;
    if (!role.obstacle.empty()) return {role.obstacle, {}};
    verdict.scalars.push_back(std::move(role));
  }
  verdict.obstacle = obstacle_in_memory(accesses.all, {shape->variable, step_of(*shape)});
  return verdict;
}

}  // namespace stretto::cc::acc
