#include "cc/acc/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <stretto/error.hpp>

#include "cc/acc/call_declarations.hpp"
#include "cc/acc/code_parser.hpp"
#include "cc/acc/code_printer.hpp"
#include "cc/acc/device_kernel.hpp"
#include "cc/acc/device_tables.hpp"
#include "cc/acc/directive_calls.hpp"
#include "cc/acc/directive_text.hpp"
#include "cc/acc/directive_tree.hpp"
#include "cc/acc/host_atomic.hpp"
#include "cc/acc/host_kernel.hpp"
#include "cc/acc/kernels_parts.hpp"
#include "cc/acc/message_call.hpp"
#include "cc/acc/name_conflicts.hpp"
#include "cc/acc/not_translated.hpp"
#include "cc/acc/region_launch.hpp"
#include "cc/acc/region_report.hpp"
#include "cc/acc/statement.hpp"

namespace stretto::cc::acc {
namespace {

/// A directive that declares, and where its effect ends.
struct declared {
  directive what;
  std::size_t last;
};

/// Throws O10 if a type among the arguments has no name by which the compiler could choose.
std::string condition_of(const template_instance& of, const placed_directive& at) {
  if (of.condition.empty()) not_translated(at.what.where, "a directive in a template for a type without a name");
  return of.condition;
}

std::string assertion_text(const std::string& condition) {
  return fmt::format(
      "static_assert({}, \"nothing in this source names the instantiation of a template in which a region"
      " of OpenACC stands\");",
      condition);
}

/// Text that replaces [first, last) of the source.
struct replacement {
  std::size_t first, last;
  std::string text;
};

class translator {
 public:
  translator(const preprocessed_text& source, language language, const std::string& standard)
      : source_(source), language_(language) {
    tree_ = read_directives(source);
    functions_ = starts_of_definitions(program());
    result_.refused = tree_.refused;
    if (!tree_.refused.empty() || tree_.outermost.empty()) return;
    try {
      all_ = read_all_names(source, with_called_functions(source, parts()), language, standard, offsets());
    } catch (const error& e) {
      if (e.code() != std::string_view("O09")) throw;
      result_.refused.push_back(e);
    }
    use(all_.names);
  }

  translation run() {
    if (result_.refused.empty()) {
      for (const placed_directive& one : tree_.outermost) translate(one);
      remove_other_pragmas();
      if (!tree_.outermost.empty()) changes_.insert(changes_.begin(), {0, 0, call_declarations(language_)});
      result_.text = replaced();
    }
    result_.report = text_of(tree_, source_, facts_);
    return std::move(result_);
  }

 private:
  const tokens& program() const { return source_.program(); }

  std::vector<std::size_t> offsets() const {
    std::vector<std::size_t> all;
    for (const placed_directive& one : tree_.outermost) all.push_back(source_.pragmas()[one.pragma].first);
    return all;
  }

  /// What names mean from here on.
  void use(const source_names& names) {
    names_ = &names;
    called_ = &called_by_names_.try_emplace(&names, source_, names, tree_).first->second;
  }
  std::size_t offset_of(std::size_t token) const {
    return token < program().size() ? program()[token].offset : source_.text().size();
  }
  std::size_t end_of(const placed_directive& one) const {
    return one.first == one.last ? source_.pragmas()[one.pragma].last
                                 : offset_of(one.last - 1) + program()[one.last - 1].spelling.size();
  }

  /// Whole functions around the outermost directives: their declarations are wanted, too.
  std::vector<text_range> parts() const {
    std::vector<text_range> all;
    for (const placed_directive& one : tree_.outermost) {
      const text_range part{offset_of(start_of_function(one.first)), std::max(end_of(one), offset_of(one.first))};
      if (!all.empty() && part.first < all.back().last) all.back().last = std::max(all.back().last, part.last);
      else all.push_back(part);
    }
    return all;
  }

  /// The token that begins the definition at file scope in which a token stands.
  std::size_t start_of_function(std::size_t token) const {
    const auto next = std::ranges::upper_bound(functions_, token);
    return *std::prev(next);
  }

  name_scope scope_at(const placed_directive& one) const {
    return {*names_, source_, source_.pragmas()[one.pragma].first};
  }
  bool is_at_file_scope(const placed_directive& one) const {
    return start_of_function(one.first) == one.first || one.first == program().size();
  }

  void translate(const placed_directive& one) {
    try {
      if (is_compute(one.what.kind) || one.what.kind == directive_kind::atomic) return translate_code(one);
      const template_range in_template(*this, one);
      if (is_in_unused_template(one)) return translate_inside(one);
      if (one.what.kind == directive_kind::data || one.what.kind == directive_kind::host_data)
        return translate_block(one);
      if (one.what.kind == directive_kind::declare) return translate_declare(one);
      if (one.what.kind == directive_kind::mpi) return translate_message(one);
      if (one.what.kind != directive_kind::routine)
        replace_pragma(one, call_text(one.what, items_of(one.what, scope_at(one)), ++numbers_));
    } catch (const error& e) {
      result_.refused.push_back(e);
    }
    translate_inside(one);
  }

  void translate_inside(const placed_directive& one) {
    for (const placed_directive& inner : one.inside) translate(inner);
  }

  bool is_in_unused_template(const placed_directive& one) const {
    const auto instances = instances_at(one);
    return instances && instances->empty();
  }

  void replace_pragma(const placed_directive& one, std::string text) {
    const pragma_line& line = source_.pragmas()[one.pragma];
    changes_.push_back({line.first, line.last, std::move(text)});
  }

  /// data and host_data.
  void translate_block(const placed_directive& one) {
    const bool is_data = one.what.kind == directive_kind::data;
    open_data here{++numbers_, is_data ? items_of(one.what, scope_at(one)) : used_on_device(one)};
    replace_pragma(one, is_data ? opening_text(one.what, here.items, here.number)
                                : host_data_text(one.what, here.items, here.number));
    around_.push_back(&one.what);
    if (is_data) open_.push_back(std::move(here));
    translate_inside(one);
    if (is_data) open_.pop_back();
    around_.pop_back();
    changes_.push_back({end_of(one), end_of(one), is_data ? " }" : " } }"});
  }

  std::vector<data_item> used_on_device(const placed_directive& one) const {
    std::vector<data_item> all;
    for (const clause& c : one.what.clauses)
      if (c.kind == clause_kind::use_device)
        for (const variable& v : c.variables)
          all.push_back(item_of(v, data_action::present, one.what.where, scope_at(one)));
    return all;
  }

  /// At file scope for the whole program; in a function to the end of the block.
  void translate_declare(const placed_directive& one) {
    const auto items = declared_items(one);
    const unsigned number = ++numbers_;
    declared_.push_back({one.what, end_of_declared(one)});
    if (is_at_file_scope(one)) replace_pragma(one, constructor_text(one.what, items, number));
    else replace_pragma(one, scope_text(one.what, items, number));
  }

  /// Pointers themselves, not what they point to: a declaration names variables.
  std::vector<data_item> declared_items(const placed_directive& one) const {
    auto items = items_of(one.what, scope_at(one));
    for (data_item& item : items)
      if (is_at_file_scope(one)) item = item_of(*item.of, item.action);
    return items;
  }

  /// Where what a directive declares ceases to be declared: at the end of the function.
  std::size_t end_of_declared(const placed_directive& one) const {
    if (is_at_file_scope(one)) return source_.text().size();
    const auto next = std::ranges::upper_bound(functions_, one.first);
    return next == functions_.end() ? source_.text().size() : offset_of(*next);
  }

  std::vector<const directive*> directives_around(const placed_directive& one) const {
    std::vector<const directive*> all = around_;
    for (const declared& d : declared_)
      if (offset_of(one.first) < d.last) all.push_back(&d.what);
    return all;
  }

  void translate_message(const placed_directive& one) {
    const message_text text = message_call(one, scope_at(one), ++numbers_, language_);
    const std::size_t function = offset_of(start_of_function(one.first));
    if (!text.ahead.empty()) changes_.push_back({function, function, text.ahead + mark(function)});
    changes_.push_back({source_.pragmas()[one.pragma].first, end_of(one), text.statement + mark(end_of(one))});
  }

  /// A launch has the arguments of the host's plan.
  device_translation device_text(device_language language, const std::string& name, const region_plan& of_host,
                                 const region_plan& plan, const statement& region) const {
    if (!has_same_arguments(of_host, plan))
      return {std::nullopt, "clauses behind device_type change the variables that gangs have of their own"};
    return translate_for_device(language, name, plan, region, source_, *called_);
  }

  /// Regions, and atomic operations in functions that kernels call: they depend on types.
  void translate_code(const placed_directive& one) {
    const auto text = [&] { return is_compute(one.what.kind) ? region_text(one) : atomic_text(one); };
    const std::string all = for_each_instance(one, text);
    changes_.push_back({source_.pragmas()[one.pragma].first, end_of(one), all + mark(end_of(one))});
  }

  std::string atomic_text(const placed_directive& one) const {
    return host_atomic_text(read_code(source_, *names_, one), code_printer(), 0);
  }

  std::string region_text(const placed_directive& one) {
    const statement region = read_code(source_, *names_, one);
    if (one.what.kind == directive_kind::kernels && !depends_on_device(one))
      if (std::string parts = parts_text(one, region); !parts.empty()) return parts;
    const auto plan_for = [&](device_kind kind) {
      return plan_region(one, region, scope_at(one), directives_around(one), kind);
    };
    region_plan plan = plan_for(device_kind::host);
    check_names(plan, region, source_);
    const bool depends = depends_on_device(one);
    const device_plans of_devices{depends ? plan_for(device_kind::opencl) : plan,
                                  depends ? plan_for(device_kind::nvidia) : plan};
    if (depends) plan.gangs = choice_by_device({plan.gangs, of_devices.opencl.gangs, of_devices.cuda.gangs});
    const unsigned number = ++numbers_;
    const kernel_text kernel = add_kernels(one, number, plan, of_devices, region);
    for (std::string& line : report_of(plan, of_devices, kernel.on_devices, source_))
      facts_[one.pragma].push_back(std::move(line));
    return launch_text(kernel_name(number), plan, number, open_, kernel.in_block);
  }

  static std::string kernel_name(unsigned number) { return fmt::format("stretto_acc_kernel_{}", number); }

  struct kernel_text {
    device_translations on_devices;
    std::string in_block;  // of the launch
  };

  /// The functions of a region: in C ahead of the function around it, in C++ in the block of its launch.
  kernel_text add_kernels(const placed_directive& one, unsigned number, const region_plan& plan, const device_plans& of,
                          const statement& code) {
    const std::string name = kernel_name(number);
    const std::size_t function = offset_of(start_of_function(one.first));
    const device_translations all{device_text(device_language::opencl, name, plan, of.opencl, code),
                                  device_text(device_language::cuda, name, plan, of.cuda, code)};
    std::string text = "\n" + host_kernel(name, plan, code, source_, language_) + device_tables(name, plan, all);
    if (language_ == language::cxx) return {all, std::move(text)};
    changes_.push_back({function, function, text + mark(function)});
    return {all, {}};
  }

  /// The instantiations of the template in which a directive stands; nothing outside of templates.
  std::optional<std::vector<const template_instance*>> instances_at(const placed_directive& one) const {
    const std::size_t at = source_.pragmas()[one.pragma].first;
    const auto holds = [at](const text_range& where) { return at >= where.first && at < where.last; };
    if (std::ranges::none_of(all_.templates, holds, &template_function::where)) return std::nullopt;
    std::vector<const template_instance*> found;
    for (const template_instance& each : all_.instances)
      if (holds(each.where)) found.push_back(&each);
    return found;
  }

  /// In a template: the text for each instantiation, of which the compiler chooses one.
  template <class Text>
  std::string for_each_instance(const placed_directive& one, const Text& text) {
    const auto instances = instances_at(one);
    if (!instances) return text();
    std::string branches, known;
    for (const template_instance* each : *instances) {
      if (!each->has_code) continue;
      const std::string condition = condition_of(*each, one);
      facts_[one.pragma].push_back("where " + condition);
      use(each->names);
      branches += fmt::format("{}if ({}) {}", branches.empty() ? "" : "else ", condition, text());
      known += fmt::format("({}) || ", condition);
    }
    use(all_.names);
    return fmt::format("{{ {} {}}}", assertion_text(known + condition_that_is_false(one)), branches);
  }

  std::string condition_that_is_false(const placed_directive& one) const {
    const std::size_t at = source_.pragmas()[one.pragma].first;
    for (const template_function& each : all_.templates)
      if (at >= each.where.first && at < each.where.last && !each.never.empty()) return each.never;
    return "0";
  }

  /// Within it names are those of the first instantiation of the template around a directive.
  class template_range {
   public:
    template_range(translator& of, const placed_directive& one) : of_(of) {
      const auto instances = of.instances_at(one);
      if (instances && !instances->empty()) of.use(instances->front()->names);
    }
    template_range(const template_range&) = delete;
    ~template_range() { of_.use(of_.all_.names); }

   private:
    translator& of_;
  };

  /// The loops of a kernels construct as launches of their own, if that lets one of them be divided; else empty.
  std::string parts_text(const placed_directive& one, const statement& region) {
    const std::vector<statement> parts = parts_of(region);
    if (parts.empty()) return "";
    const region_plan whole = plan_region(one, region, scope_at(one), directives_around(one));
    const unsigned number = numbers_ + 1;
    const std::string on_host = fmt::format("stretto_on_host_{}", number);
    const kernels_directives directives(one, whole, on_host);
    std::vector<const directive*> around = directives_around(one);
    std::ranges::copy(directives.around(), std::back_inserter(around));
    check_names(whole, region, source_);
    std::vector<region_plan> plans;
    for (const statement& part : parts) plans.push_back(plan_region(directives.launch(), part, scope_at(one), around));
    if (std::ranges::all_of(plans, &region_plan::is_single)) return "";
    ++numbers_;
    open_.push_back({number, whole.data});
    for (std::string& line : report_of_data(whole)) facts_[one.pragma].push_back(std::move(line));
    std::string text = fmt::format("{{ const int {} = {}; {} ", on_host, is_on_host_text(one.what),
                                   scope_text(directives.data(), whole.data, number));
    for (std::size_t i = 0; i < parts.size(); ++i) text += part_text(one, plans[i], parts[i]);
    open_.pop_back();
    return text + "}\n";
  }

  std::string part_text(const placed_directive& one, region_plan& plan, const statement& part) {
    plan.data.clear();  // it moves for all parts together
    plan.work.clear();  // parts ahead may change what it depends on
    const unsigned number = ++numbers_;
    const kernel_text kernel = add_kernels(one, number, plan, {plan, plan}, part);
    for (std::string& line : report_of_part(plan, kernel.on_devices, source_))
      facts_[one.pragma].push_back(std::move(line));
    return launch_text(kernel_name(number), plan, number, open_, kernel.in_block);
  }

  /// Directives that do nothing: those of loops in functions that kernels call, caches, routines.
  void remove_other_pragmas() {
    const auto regions = changes_;
    for (const pragma_line& one : source_.pragmas()) {
      const auto holds = [&](const replacement& r) { return one.first >= r.first && one.first < r.last; };
      if (std::ranges::none_of(regions, holds)) changes_.push_back({one.first, one.last, ""});
    }
  }

  /// A marker of the user's line, ahead of the rest of a line of the source.
  std::string mark(std::size_t offset) const {
    const source_line where = source_.line_at(offset);
    return where.file.empty() ? "" : fmt::format("\n# {} \"{}\"\n", where.line, where.file);
  }

  std::string replaced() {
    std::ranges::stable_sort(changes_, {}, &replacement::first);
    std::string text;
    std::size_t at = 0;
    for (const replacement& one : changes_) {
      text += source_.text().substr(at, one.first - at);
      text += one.text;
      at = one.last;
    }
    return text + std::string(source_.text().substr(at));
  }

  const preprocessed_text& source_;
  directive_tree tree_;
  std::vector<std::size_t> functions_;  // tokens with which definitions at file scope begin
  const language language_;
  all_names all_;
  const source_names* names_ = nullptr;  // that are in use
  const called_functions* called_ = nullptr;
  std::map<const source_names*, called_functions> called_by_names_;
  translation result_;
  std::vector<replacement> changes_;
  std::vector<const directive*> around_;  // of the directive that is being translated, outermost first
  std::vector<open_data> open_;           // of the data constructs among them
  std::vector<declared> declared_;
  unsigned numbers_ = 0;  // of directives, for names
  directive_facts facts_;
};

}  // namespace

translation translate(const preprocessed_text& source, language language, const std::string& standard) {
  return translator(source, language, standard).run();
}

}  // namespace stretto::cc::acc
