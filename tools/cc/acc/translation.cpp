#include "cc/acc/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <stretto/error.hpp>

#include "cc/acc/call_declarations.hpp"
#include "cc/acc/code_parser.hpp"
#include "cc/acc/code_printer.hpp"
#include "cc/acc/device_kernel.hpp"
#include "cc/acc/device_tables.hpp"
#include "cc/acc/directive_calls.hpp"
#include "cc/acc/directive_places.hpp"
#include "cc/acc/directive_text.hpp"
#include "cc/acc/directive_tree.hpp"
#include "cc/acc/host_atomic.hpp"
#include "cc/acc/host_kernel.hpp"
#include "cc/acc/kernels_parts.hpp"
#include "cc/acc/message_call.hpp"
#include "cc/acc/name_conflicts.hpp"
#include "cc/acc/names_in_use.hpp"
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

/// Text that replaces [first, last) of the source.
struct replacement {
  std::size_t first, last;
  std::string text;
};

class translator {
 public:
  translator(const preprocessed_text& source, language language, const std::string& standard)
      : source_(source), language_(language), places_(source) {
    tree_ = read_directives(source);
    result_.refused = tree_.refused;
    if (!tree_.refused.empty() || tree_.outermost.empty()) return;
    try {
      names_.emplace(source, tree_, with_called_functions(source, places_.functions(tree_)), language, standard);
    } catch (const error& e) {
      if (e.code() != std::string_view("O09")) throw;
      result_.refused.push_back(e);
    }
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
  name_scope scope_at(const placed_directive& one) const {
    return {names_->current(), source_, source_.pragmas()[one.pragma].first};
  }
  void translate(const placed_directive& one) {
    try {
      if (is_compute(one.what.kind) || one.what.kind == directive_kind::atomic) return translate_code(one);
      const auto in_template = names_->enter(one);
      if (!in_template.is_instantiated()) return translate_inside(one);
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
    changes_.push_back({places_.end_of(one), places_.end_of(one), is_data ? " }" : " } }"});
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
    declared_.push_back({one.what, places_.end_of_declared(one)});
    if (places_.is_at_file_scope(one)) replace_pragma(one, constructor_text(one.what, items, number));
    else replace_pragma(one, scope_text(one.what, items, number));
  }

  /// Pointers themselves, not what they point to: a declaration names variables.
  std::vector<data_item> declared_items(const placed_directive& one) const {
    auto items = items_of(one.what, scope_at(one));
    for (data_item& item : items)
      if (places_.is_at_file_scope(one)) item = item_of(*item.of, item.action);
    return items;
  }

  std::vector<const directive*> directives_around(const placed_directive& one) const {
    std::vector<const directive*> all = around_;
    for (const declared& d : declared_)
      if (places_.offset_of(one.first) < d.last) all.push_back(&d.what);
    return all;
  }

  void translate_message(const placed_directive& one) {
    const message_text text = message_call(one, scope_at(one), ++numbers_, language_);
    const std::size_t function = places_.function_of(one);
    if (!text.ahead.empty()) changes_.push_back({function, function, text.ahead + places_.mark(function)});
    changes_.push_back(
        {source_.pragmas()[one.pragma].first, places_.end_of(one), text.statement + places_.mark(places_.end_of(one))});
  }

  /// A launch has the arguments of the host's plan.
  device_translation device_text(device_language language, const std::string& name, const region_plan& of_host,
                                 const region_plan& plan, const statement& region) const {
    if (!has_same_arguments(of_host, plan))
      return {std::nullopt, "clauses behind device_type change the variables that gangs have of their own"};
    return translate_for_device(language, name, plan, region, source_, names_->called());
  }

  /// Regions, and atomic operations in functions that kernels call: they depend on types.
  void translate_code(const placed_directive& one) {
    const auto text = [&] { return is_compute(one.what.kind) ? region_text(one) : atomic_text(one); };
    const auto note = [&](const std::string& line) { facts_[one.pragma].push_back(line); };
    const std::string all = names_->for_each_instance(one, text, note);
    changes_.push_back(
        {source_.pragmas()[one.pragma].first, places_.end_of(one), all + places_.mark(places_.end_of(one))});
  }

  std::string atomic_text(const placed_directive& one) const {
    return host_atomic_text(read_code(source_, names_->current(), one), code_printer(), 0);
  }

  std::string region_text(const placed_directive& one) {
    const statement region = read_code(source_, names_->current(), one);
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
    const std::size_t function = places_.function_of(one);
    const device_translations all{device_text(device_language::opencl, name, plan, of.opencl, code),
                                  device_text(device_language::cuda, name, plan, of.cuda, code)};
    std::string text = "\n" + host_kernel(name, plan, code, source_, language_) + device_tables(name, plan, all);
    if (language_ == language::cxx) return {all, std::move(text)};
    changes_.push_back({function, function, text + places_.mark(function)});
    return {all, {}};
  }

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
  const language language_;
  const directive_places places_;
  std::optional<names_in_use> names_;
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
