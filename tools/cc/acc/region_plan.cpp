#include "cc/acc/region_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stretto/error.hpp>
#include <string>

#include "cc/acc/clause_names.hpp"
#include "cc/acc/constant_value.hpp"
#include "cc/acc/directive_rules.hpp"
#include "cc/acc/directive_text.hpp"
#include "cc/acc/loop_shape.hpp"
#include "cc/acc/proven_loops.hpp"
#include "cc/acc/region_data.hpp"
#include "cc/acc/small_work.hpp"

namespace stretto::cc::acc {
namespace {

/// Of loops that are divided together without a clause.
constexpr std::size_t most_proven_loops = 3;

class planner {
 public:
  planner(const placed_directive& construct, const statement& region, const name_scope& scope,
          std::span<const acc::directive* const> around, device_kind kind)
      : region_(region),
        scope_(scope),
        kind_(kind),
        directive_(directive_for(construct.what, kind)),
        names_(directive_, around),
        plan_{.directive = &construct, .arguments = {}} {}

  region_plan plan() {
    uses_ = outer_variables(region_);
    add_named_variables(*plan_.directive);
    if (is_serial()) make_single("serial");
    else if (is_kernels()) plan_kernels();
    plan_loops(region_, false);
    settle_last_values();
    // Gangs that run the same code would do the same work several times. They do so where the program says how many.
    const clause* const gangs = directive().find(clause_kind::num_gangs);
    const auto is_divided = [](const auto& one) { return one.second.is_divided; };
    if (!plan_.is_single && !gangs && std::ranges::none_of(plan_.loops, is_divided)) make_single("no loop is divided");
    if (!is_loop(directive().kind)) {
      plan_.privates = privates_of(directive());
      plan_.reductions = reductions_of(directive());
      append(reduced_, plan_.reductions);
    }
    for (const variable_use& one : uses_) add_argument(one);
    plan_.data = data_of_region(plan_, directive(), region_, scope_, names_);
    if (plan_.is_single) plan_.gangs = "1";
    else if (gangs) plan_.gangs = joined_text(gangs->arguments[0]);
    return std::move(plan_);
  }

 private:
  void make_single(std::string why) {
    plan_.is_single = true;
    plan_.why_single = std::move(why);
  }

  /// Divides the loop that is the region, if a clause or the code itself says that it may be.
  void plan_kernels() {
    const statement& loop = only_statement(region_);
    if (loop.is != statement_form::for_) return make_single("it is no loop");
    const bool has_directive = loop.directive && is_loop(loop.directive->what.kind);
    const acc::directive d = has_directive ? directive_for(loop.directive->what, kind_) : acc::directive{};
    if (has_directive && asks_for_gangs(d)) return;
    if (d.find(clause_kind::seq)) return make_single("the loop has seq");
    loop_plan plan{.privates = privates_of(d), .reductions = reductions_of(d)};
    std::vector<const declaration*> given;
    for (const private_variable& one : plan.privates) given.push_back(one.of);
    for (const reduced_variable& one : plan.reductions) given.push_back(one.of);
    const std::size_t limit = d.find(clause_kind::collapse) ? collapsed_loops(d) : most_proven_loops;
    const proven_loops proven = prove_loops(loop, independent_loops(nested_shapes(loop, limit)), given);
    if (!proven.obstacle.empty())
      return make_single(fmt::format("line {}: {}", scope_.source.line_at(loop.offset).line, proven.obstacle));
    divide_proven(loop, std::move(plan), proven);
  }

  void divide_proven(const statement& loop, loop_plan plan, const proven_loops& proven) {
    plan.is_divided = true;
    plan.collapsed = proven.count;
    plan.sets_variables = !loop.directive || !is_loop(loop.directive->what.kind);
    for (const scalar_role& one : proven.scalars)
      if (one.reduction) plan.reductions.push_back({.of = one.of, .operation = *one.reduction, .is_found = true});
      else plan.last_values.push_back(one.of);
    append(reduced_, plan.reductions);
    plan_.work = work_text(nested_shapes(loop, plan.collapsed));
    add_loop_variables(loop, plan);
    proven_ = &(plan_.loops[&loop] = std::move(plan));
  }

  /// The variables of the host that a proven loop sets behind itself. Those of loops with directives are private.
  void settle_last_values() {
    if (!proven_) return;
    std::erase_if(proven_->last_values, [this](const declaration* of) { return own_.contains(of); });
    set_behind_.insert(proven_->last_values.begin(), proven_->last_values.end());
    if (!proven_->sets_variables) return;
    for (const loop_shape& one : nested_shapes(only_statement(region_), proven_->collapsed))
      if (find(one.variable->name) == one.variable) set_behind_.insert(one.variable);
  }

  /// Variables in which clauses say how large the copies of a gang are.
  void add_named_variables(const placed_directive& one) {
    for (const clause& c : one.what.clauses) {
      const bool makes_copies =
          c.kind == clause_kind::reduction || c.kind == clause_kind::private_ || c.kind == clause_kind::firstprivate;
      for (const variable& v : c.variables)
        for (const section& part : v.sections)
          if (makes_copies) add_named_variables(part.lower), add_named_variables(part.length);
    }
    for (const placed_directive& inner : one.inside) add_named_variables(inner);
  }
  void add_named_variables(const tokens& expression) {
    for (const token& t : expression) {
      if (t.is != token::what::name || find(t.spelling)) continue;
      const declaration* const of = scope_.names.visible(t.spelling, scope_.offset, scope_.source);
      const bool is_variable = of && of->is != declaration::place::function && of->is != declaration::place::constant;
      if (is_variable) uses_.push_back({.of = of, .is_read = true, .offset = scope_.offset});
    }
  }

  /// Of the construct; a combined one governs the loop, too.
  const acc::directive& directive() const { return directive_; }

  bool is_serial() const {
    return directive().kind == directive_kind::serial || directive().kind == directive_kind::serial_loop;
  }
  bool is_kernels() const {
    return directive().kind == directive_kind::kernels || directive().kind == directive_kind::kernels_loop;
  }

  /// Whether the region is one loop with a directive: gangs then have nothing else to do.
  bool is_one_loop() const {
    const statement& only = only_statement(region_);
    return only.directive && is_loop(only.directive->what.kind);
  }

  const declaration* find(const std::string& name) const {
    const auto found = std::ranges::find_if(uses_, [&](const variable_use& one) { return one.of->name == name; });
    return found == uses_.end() ? nullptr : found->of;
  }

  std::vector<private_variable> privates_of(const acc::directive& d) const {
    return acc::privates_of(d, [this](const std::string& name) { return find(name); }, scope_);
  }
  std::vector<reduced_variable> reductions_of(const acc::directive& d) const {
    return acc::reductions_of(d, [this](const std::string& name) { return find(name); }, scope_);
  }

  void plan_loops(const statement& s, bool is_divided) {
    const bool is_proven = proven_ && proven_ == find_loop(&s);
    const bool has_loop = s.directive && is_loop(s.directive->what.kind);
    if (has_loop && !is_proven) is_divided = plan_loop(s, is_divided) || is_divided;
    is_divided |= is_proven;
    for (const statement& part : s.parts) plan_loops(part, is_divided);
  }

  const loop_plan* find_loop(const statement* loop) const {
    const auto found = plan_.loops.find(loop);
    return found == plan_.loops.end() ? nullptr : &found->second;
  }

  /// Returns whether the loop is divided among the gangs.
  bool plan_loop(const statement& loop, bool is_inside_divided) {
    const acc::directive d = directive_for(loop.directive->what, kind_);
    loop_plan& plan = plan_.loops[&loop];
    plan.privates = privates_of(d);
    const auto shapes = nested_shapes(loop, collapsed_loops(d));
    const bool may_divide = !is_inside_divided && !plan_.is_single && !shapes.empty() && asks_for_gangs(d);
    plan.is_divided = may_divide;
    plan.collapsed = independent_loops(shapes);
    if (may_divide && is_one_loop() && plan.collapsed == shapes.size()) plan_.work = work_text(shapes);
    if (may_divide) plan.reductions = reductions_of(d);
    // A loop that is not divided combines its results in place.
    if (!is_inside_divided) append(reduced_, reductions_of(d));
    add_loop_variables(loop, plan);
    if (may_divide && is_kernels()) add_temporaries(*shapes.back().body);
    return may_divide;
  }

  std::size_t collapsed_loops(const acc::directive& d) const {
    const clause* const found = d.find(clause_kind::collapse);
    const auto count = found ? constant_value(found->arguments[0], scope_) : std::nullopt;
    return static_cast<std::size_t>(std::max<std::int64_t>(count.value_or(1), 1));
  }

  bool asks_for_gangs(const acc::directive& d) const {
    if (d.find(clause_kind::gang)) return true;
    if (d.find(clause_kind::seq) || d.find(clause_kind::auto_)) return false;
    if (is_kernels()) return d.find(clause_kind::independent) != nullptr;
    return !d.find(clause_kind::worker) && !d.find(clause_kind::vector);
  }

  /// The variable of a loop is private to it, also if it is declared outside.
  void add_loop_variables(const statement& loop, const loop_plan& plan) {
    for (const loop_shape& one : nested_shapes(loop, std::max<std::size_t>(plan.collapsed, 1)))
      own_.insert(one.variable);
    for (const private_variable& one : plan.privates) own_.insert(one.of);
  }

  /// Gangs would overwrite each other's temporary values: what a divided loop of kernels sets is of each gang, unless a
  /// clause of the source names it.
  void add_temporaries(const statement& body) {
    for (const scalar_role& one : scalar_roles(body))
      if (!names_.has(one.of->name, moves_data_by_source)) own_.insert(one.of);
  }

  void add_argument(const variable_use& use) {
    const acc::directive& d = directive();
    if (std::ranges::find(plan_.privates, use.of, &private_variable::of) != plan_.privates.end()) return;
    plan_.arguments.push_back(
        {use.of, way_of(use, d), with_extents(*use.of), names_.has(use.of->name, is_device_pointer), copied_part(use)});
  }

  /// The part behind a pointer in firstprivate.
  std::optional<own_part> copied_part(const variable_use& use) const {
    if (use.of->type.is != type_form::pointer) return std::nullopt;
    for (const clause& c : directive().clauses)
      if (c.kind == clause_kind::firstprivate)
        for (const variable& v : c.variables)
          if (v.path.size() == 1 && v.name() == use.of->name && v.sections.size() == 1)
            return part_of(v, *use.of, directive().where, scope_);
    return std::nullopt;
  }

  argument_way way_of(const variable_use& use, const acc::directive& d) const {
    const c_type& type = use.of->type;
    if (is_reduced(use.of) || set_behind_.contains(use.of)) return argument_way::reference;
    const bool is_copied = clause_with(d, use.of->name, is_first_private) != nullptr;
    if (type.is == type_form::array) {
      if (is_copied && has_unknown_size(type)) refuse_gang_copy(use.of->name, scope_.source.line_at(use.offset));
      return is_copied ? argument_way::value : argument_way::array;
    }
    if (type.is == type_form::pointer || own_.contains(use.of)) return argument_way::value;
    if (names_.has(use.of->name, moves_data)) return argument_way::reference;
    if (is_copied) return argument_way::value;
    if (const clause* const one = d.find(clause_kind::default_); one && one->names.at(0) == "none")
      refuse_without_clause(use, d);
    const bool is_changed = use.is_written || use.is_address;
    if (type.is == type_form::record) return argument_way::reference;
    // Gangs among which a loop is divided would overwrite each other's temporary values.
    return is_kernels() && plan_.is_single && is_changed ? argument_way::reference : argument_way::value;
  }

  [[noreturn]] void refuse_without_clause(const variable_use& use, const acc::directive& d) const {
    const source_line where = scope_.source.line_at(use.offset);
    throw error("O11", fmt::format("the variable \"{}\" is in no clause of \"{}\"", use.of->name, name_of(d.kind)))
        .fact("at", fmt::format("{}:{}", where.file, where.line))
        .fact("directive", fmt::format("{}:{}", d.where.file, d.where.line))
        .because("default(none) asks for a clause for each variable")
        .remedy(fmt::format("add firstprivate({0}) or copy({0})", use.of->name));
  }

  bool is_reduced(const declaration* of) const {
    return std::ranges::find(reduced_, of, &reduced_variable::of) != reduced_.end();
  }

  static void append(std::vector<reduced_variable>& all, const std::vector<reduced_variable>& more) {
    all.insert(all.end(), more.begin(), more.end());
  }

  const statement& region_;
  const name_scope scope_;
  const device_kind kind_;
  const acc::directive directive_;
  const clause_names names_;
  region_plan plan_;
  std::vector<variable_use> uses_;
  std::set<const declaration*> own_;         // of loops
  loop_plan* proven_ = nullptr;              // of the loop of a kernels construct whose iterations are independent
  std::set<const declaration*> set_behind_;  // by that loop: variables of the host
  std::vector<reduced_variable> reduced_;    // into variables of the host
};

}  // namespace

region_plan plan_region(const placed_directive& construct, const statement& region, const name_scope& scope,
                        std::span<const directive* const> around, device_kind kind) {
  return planner(construct, region, scope, around, kind).plan();
}

bool has_same_arguments(const region_plan& one, const region_plan& other) {
  const auto is_same_argument = [](const kernel_argument& a, const kernel_argument& b) {
    return a.of == b.of && a.way == b.way;
  };
  return std::ranges::equal(one.arguments, other.arguments, is_same_argument);
}

}  // namespace stretto::cc::acc
