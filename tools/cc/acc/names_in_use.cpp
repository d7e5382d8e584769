#include "cc/acc/names_in_use.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cc/acc/not_translated.hpp"

namespace stretto::cc::acc {
namespace {

bool is_around(const text_range& where, std::size_t at) { return at >= where.first && at < where.last; }

std::vector<std::size_t> offsets_of(const directive_tree& tree, const preprocessed_text& source) {
  std::vector<std::size_t> all;
  for (const placed_directive& one : tree.outermost) all.push_back(source.pragmas()[one.pragma].first);
  return all;
}

std::string assertion_text(const std::string& condition) {
  return fmt::format(
      "static_assert({}, \"nothing in this source names the instantiation of a template in which a region of OpenACC "
      "stands\");",
      condition);
}

}  // namespace

names_in_use::names_in_use(const preprocessed_text& source, const directive_tree& tree,
                           std::span<const text_range> parts, language language, const std::string& standard)
    : source_(source), tree_(tree), all_(read_all_names(source, parts, language, standard, offsets_of(tree, source))) {
  use(all_.names);
}

void names_in_use::use(const source_names& names) {
  names_ = &names;
  called_ = &called_by_names_.try_emplace(&names, source_, names, tree_).first->second;
}

/// Nothing outside of templates.
std::optional<names_in_use::instances> names_in_use::instances_at(const placed_directive& one) const {
  const auto holds = [at = offset_of(one)](const text_range& where) { return is_around(where, at); };
  if (std::ranges::none_of(all_.templates, holds, &template_function::where)) return std::nullopt;
  instances found;
  for (const template_instance& each : all_.instances)
    if (holds(each.where)) found.push_back(&each);
  return found;
}

names_in_use::inside_template::inside_template(names_in_use& of, const placed_directive& one) : of_(of) {
  const auto instances = of.instances_at(one);
  is_instantiated_ = !instances || !instances->empty();
  if (instances && !instances->empty()) of.use(instances->front()->names);
}

names_in_use::inside_template::~inside_template() { of_.use(of_.all_.names); }

std::string names_in_use::for_each_instance(const placed_directive& one, const std::function<std::string()>& text,
                                            const std::function<void(const std::string&)>& note) {
  const auto instances = instances_at(one);
  if (!instances) return text();
  const inside_template restores_names(*this, one);
  std::string branches, known;
  for (const template_instance* each : *instances) {
    if (!each->has_code) continue;
    if (each->condition.empty()) not_translated(one.what.where, "a directive in a template for a type without a name");
    note("where " + each->condition);
    use(each->names);
    branches += fmt::format("{}if ({}) {}", branches.empty() ? "" : "else ", each->condition, text());
    known += fmt::format("({}) || ", each->condition);
  }
  return fmt::format("{{ {} {}}}", assertion_text(known + condition_that_is_false(one)), branches);
}

std::string names_in_use::condition_that_is_false(const placed_directive& one) const {
  for (const template_function& each : all_.templates)
    if (is_around(each.where, offset_of(one)) && !each.never.empty()) return each.never;
  return "0";
}

}  // namespace stretto::cc::acc
