#include "cc/acc/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stretto/error.hpp>

#include "cc/acc/code_parser.hpp"
#include "cc/acc/directive_text.hpp"
#include "cc/acc/directive_tree.hpp"
#include "cc/acc/host_kernel.hpp"

namespace stretto::cc::acc {
namespace {

/// Text that replaces [first, last) of the source.
struct replacement {
  std::size_t first, last;
  std::string text;
};

class translator {
 public:
  translator(const preprocessed_text& source, language language) : source_(source) {
    tree_ = read_directives(source);
    result_.refused = tree_.refused;
    if (!tree_.refused.empty() || tree_.outermost.empty()) return;
    names_ = read_names(source, parts(), language);
  }

  translation run() {
    if (result_.refused.empty()) {
      for (const placed_directive& one : tree_.outermost) translate(one);
      remove_other_pragmas();
      result_.text = replaced();
    }
    return std::move(result_);
  }

 private:
  const tokens& program() const { return source_.program(); }
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
    std::size_t start = 0;
    int depth = 0;
    for (std::size_t i = 0; i < token && i < program().size(); ++i) {
      const device::token& t = program()[i];
      if (t == "{") ++depth;
      else if (t == "}") --depth;
      if (depth == 0 && (t == ";" || t == "}")) start = i + 1;
    }
    return start;
  }

  void translate(const placed_directive& one) {
    if (is_compute(one.what.kind)) return translate_region(one);
    around_.push_back(&one.what);
    for (const placed_directive& inner : one.inside) translate(inner);
    around_.pop_back();
  }

  void translate_region(const placed_directive& one) {
    try {
      const statement region = read_code(source_, names_, one);
      const region_plan plan = plan_region(one, region, source_, around_);
      const std::string name = fmt::format("stretto_acc_kernel_{}", ++kernels_);
      const std::size_t function = offset_of(start_of_function(one.first));
      changes_.push_back({function, function,
                          (kernels_ == 1 ? "\n" + host_prologue() : "\n") + host_kernel(name, plan, region, source_) +
                              mark(function)});
      changes_.push_back(
          {source_.pragmas()[one.pragma].first, end_of(one), launch_text(name, plan) + mark(end_of(one))});
    } catch (const error& e) {
      result_.refused.push_back(e);
    }
  }

  /// Directives that do nothing where host and device share their memory.
  void remove_other_pragmas() {
    const auto regions = changes_;
    for (const pragma_line& one : source_.pragmas()) {
      const auto holds = [&](const replacement& r) { return one.first >= r.first && one.first < r.last; };
      if (std::ranges::none_of(regions, holds)) changes_.push_back({one.first, one.last, ""});
    }
  }

  static std::string launch_text(const std::string& name, const region_plan& plan) {
    std::string arguments;
    for (const kernel_argument& one : plan.arguments) {
      for (const row_extent& extent : one.sized.extents)
        arguments += fmt::format("&(unsigned long){{{}}}, ", extent.of_host);
      arguments += fmt::format("(void *){}{}, ", one.of->type.is == type_form::array ? "" : "&", one.of->name);
    }
    return fmt::format(
        "{{ void *stretto_arguments[] = {{{}(void *)0}}; stretto_acc_launch({}, stretto_arguments, {}); }}\n",
        arguments, name, plan.is_single ? "1" : gangs_text(plan));
  }

  /// 0: the runtime chooses.
  static std::string gangs_text(const region_plan& plan) {
    const clause* const wanted = plan.directive->what.find(clause_kind::num_gangs);
    return wanted ? joined_text(wanted->arguments[0]) : "0";
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
  source_names names_;
  translation result_;
  std::vector<replacement> changes_;
  std::vector<const directive*> around_;  // of the directive that is being translated, outermost first
  unsigned kernels_ = 0;
};

}  // namespace

translation translate(const preprocessed_text& source, language language) { return translator(source, language).run(); }

}  // namespace stretto::cc::acc
