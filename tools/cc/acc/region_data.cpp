#include "cc/acc/region_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cc/acc/index_bounds.hpp"

namespace stretto::cc::acc {
namespace {

class data_finder {
 public:
  data_finder(const region_plan& plan, const directive& d, const statement& region, const name_scope& scope,
              const clause_names& names)
      : plan_(plan), directive_(d), region_(region), scope_(scope), names_(names) {}

  std::vector<data_item> find() {
    items_ = items_of(directive_, scope_);
    add_reduced_data();
    for (const kernel_argument& one : plan_.arguments) add_data_of(one);
    return std::move(items_);
  }

 private:
  const declaration* find(const std::string& name) const {
    const auto found =
        std::ranges::find_if(plan_.arguments, [&](const kernel_argument& one) { return one.of->name == name; });
    return found == plan_.arguments.end() ? nullptr : found->of;
  }

  bool has_item(const declaration* of) const {
    return std::ranges::any_of(items_, [of](const data_item& one) { return is_same(one.of, of) && !one.is_member(); });
  }

  /// A part behind a pointer moves as in copy where it is reduced, and as in copyin where gangs copy it.
  void add_reduced_data() {
    add_data_of(directive_, clause_kind::firstprivate, data_action::copyin);
    add_reduced_data(directive_);
    for (const auto& [loop, plan] : plan_.loops)
      if (loop->directive) add_reduced_data(loop->directive->what);
  }
  void add_reduced_data(const directive& d) { add_data_of(d, clause_kind::reduction, data_action::copy); }
  void add_data_of(const directive& d, clause_kind kind, int action) {
    for (const clause& one : d.clauses)
      if (one.kind == kind)
        for (const variable& v : one.variables)
          if (const declaration* const of = find(v.name()); of && !v.sections.empty() && !has_item(of))
            items_.push_back(item_of(v, action, d.where, scope_));
  }

  /// Arrays, records and results move by a rule where no clause of the region names them.
  void add_data_of(const kernel_argument& argument) {
    if (argument.of->type.is == type_form::pointer) return add_elements_of(argument);
    const bool moves = argument.way != argument_way::value;
    if (moves && !has_item(argument.of)) items_.push_back(item_of(*argument.of, action_without_clause(*argument.of)));
  }

  /// Elements behind a pointer that no clause names move as in copy, where the loops say which ones they use.
  void add_elements_of(const kernel_argument& argument) {
    const declaration& of = *argument.of;
    const bool is_plain = of.type.element->is_number() || of.type.element->is == type_form::record;
    const bool is_left_alone = argument.is_device_address || has_item(&of) || directive_.find(clause_kind::default_);
    if (!is_plain || is_left_alone || names_.has(of.name, moves_data)) return;
    const auto bounds = bounds_of(region_, &of);
    if (!bounds) return;
    const int action = of.type.element->is_const ? data_action::copyin : data_action::copy;
    items_.push_back({.action = action | data_action::implied,
                      .path = of.path,
                      .base = fmt::format("(void *)({})", of.path),
                      .extents = {{bounds->first, fmt::format("stretto_acc_count({}, {})", bounds->first, bounds->last),
                                   fmt::format("sizeof(({})[0])", of.path)}},
                      .is_behind_pointer = true,
                      .of = &of});
  }

  /// copy; copyin for what may not change, present under default(present).
  int action_without_clause(const declaration& of) const {
    const clause* const rule = directive_.find(clause_kind::default_);
    const bool is_scalar = of.type.is != type_form::array && of.type.is != type_form::record;
    if (rule && rule->names.at(0) == "present" && !is_scalar && of.type.is != type_form::pointer)
      return data_action::present;
    return is_constant(of.type) ? data_action::copyin : data_action::copy;
  }

  static bool is_constant(const c_type& type) {
    return type.is == type_form::array && type.element ? is_constant(*type.element) : type.is_const;
  }

  const region_plan& plan_;
  const directive& directive_;
  const statement& region_;
  const name_scope& scope_;
  const clause_names& names_;
  std::vector<data_item> items_;
};

}  // namespace

std::vector<data_item> data_of_region(const region_plan& plan, const directive& d, const statement& region,
                                      const name_scope& scope, const clause_names& names) {
  return data_finder(plan, d, region, scope, names).find();
}

}  // namespace stretto::cc::acc
