#include "cc/acc/directive_parser.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <stretto/error.hpp>
#include <string>
#include <utility>

#include "base/nearest_name.hpp"
#include "cc/acc/clause_conflicts.hpp"
#include "cc/acc/directive_rules.hpp"

namespace stretto::cc::acc {
namespace {

constexpr std::string_view example_of(argument_form form) {
  switch (form) {
    case argument_form::none: return "";
    case argument_form::expression:
    case argument_form::optional_expression: return "(n > 100)";
    case argument_form::expressions:
    case argument_form::optional_expressions: return "(n, m)";
    case argument_form::variables: return "(x, a[0:n])";
    case argument_form::modified_variables: return "(x, a[0:n])";
    case argument_form::reduction: return "(+: sum)";
    case argument_form::gang: return "(static: 4)";
    case argument_form::worker: return "(num: 4)";
    case argument_form::vector: return "(length: 128)";
    case argument_form::collapse: return "(2)";
    case argument_form::tile: return "(16, *)";
    case argument_form::wait: return "(1, 2)";
    case argument_form::names: return "(nvidia)";
    case argument_form::default_value: return "(none)";
    case argument_form::function: return "(name)";
    case argument_form::buffer: return "(device, readonly)";
  }
  return "";
}

constexpr std::array<std::pair<std::string_view, reduction_operator>, 10> reduction_operators{{
    {"+", reduction_operator::add},
    {"-", reduction_operator::add},  // no operator of OpenACC, but of gcc's: parts are added, as in OpenMP
    {"*", reduction_operator::multiply},
    {"max", reduction_operator::max},
    {"min", reduction_operator::min},
    {"&", reduction_operator::bit_and},
    {"|", reduction_operator::bit_or},
    {"^", reduction_operator::bit_xor},
    {"&&", reduction_operator::logical_and},
    {"||", reduction_operator::logical_or},
}};

bool opens(const token& t) { return t == "(" || t == "[" || t == "{"; }
bool closes(const token& t) { return t == ")" || t == "]" || t == "}"; }

/// Why a clause cannot be read; the parser adds which clause it is.
struct misread {
  std::string because;
};

class parser {
 public:
  parser(const tokens& all, const source_line& where) : all_(all), where_(where) {}

  directive read() {
    directive result{read_kind(), where_, {}};
    read_own_argument(result);
    for (skip_comma(); !is_at_end(); skip_comma()) result.clauses.push_back(read_clause(result.kind));
    return result;
  }

 private:
  bool is_at_end() const { return at_ == all_.size(); }
  bool is(std::string_view spelling) const { return !is_at_end() && all_[at_] == spelling; }
  bool is_followed_by(std::string_view spelling) const { return at_ + 1 < all_.size() && all_[at_ + 1] == spelling; }
  bool is_name() const { return !is_at_end() && all_[at_].is == token::what::name; }
  std::string found() const { return is_at_end() ? "the end of the line" : fmt::format("\"{}\"", all_[at_].spelling); }
  bool skip_if(std::string_view spelling) {
    const bool found = is(spelling);
    at_ += found ? 1 : 0;
    return found;
  }
  void skip_comma() { skip_if(","); }
  void require(std::string_view spelling, std::string_view where) {
    if (!skip_if(spelling))
      throw misread{fmt::format("{} stands {}, where \"{}\" is needed", found(), where, spelling)};
  }

  directive_kind read_kind() {
    for (const directive_rule& rule : directive_rules()) {
      const auto space = rule.name.find(' ');
      const auto first = rule.name.substr(0, space);
      const bool is_of_two = space != rule.name.npos;
      if (!is(first) || (is_of_two && !is_followed_by(rule.name.substr(space + 1)))) continue;
      at_ += is_of_two ? 2 : 1;
      return rule.kind;
    }
    std::vector<std::string> names;
    for (const directive_rule& rule : directive_rules()) names.emplace_back(rule.name);
    const std::string typed = is_at_end() ? "" : all_[at_].spelling;
    throw error("O01", fmt::format("OpenACC has no directive \"{}\"", typed))
        .fact("at", fmt::format("{}:{}", where_.file, where_.line))
        .because("it is the name of no directive in OpenACC 3.3")
        .remedy(nearest_or_all(typed, names, "use one of"));
  }

  /// A remedy: the name that was meant, or those that there are.
  static std::string nearest_or_all(const std::string& typed, const std::vector<std::string>& names,
                                    std::string_view otherwise) {
    std::string nearest = base::did_you_mean(typed, names);
    return nearest.empty() ? fmt::format("{} {}", otherwise, fmt::join(names, ", ")) : nearest;
  }

  /// The parentheses directly behind the name of a directive.
  void read_own_argument(directive& of) {
    const auto add = [&](clause_kind kind, argument_form form) {
      of.clauses.push_back({.kind = kind, .spelling = std::string(name_of(of.kind))});
      read_with_reasons(of.clauses.back(), form);
    };
    if (of.kind == directive_kind::cache) return add(clause_kind::cached, argument_form::modified_variables);
    if (!is("(")) return;
    if (of.kind == directive_kind::wait) add(clause_kind::wait_queues, argument_form::wait);
    if (of.kind == directive_kind::routine) add(clause_kind::routine_name, argument_form::function);
  }

  clause read_clause(directive_kind on) {
    const std::string name = is_at_end() ? "" : all_[at_].spelling;
    const clause_rule* const rule = find_rule(name, on);
    if (!rule) refuse_clause(name, on);
    ++at_;
    clause result{.kind = rule->kind, .spelling = name};
    read_with_reasons(result, rule->form);
    return result;
  }

  [[noreturn]] void refuse_clause(const std::string& name, directive_kind on) const {
    std::vector<std::string> names;
    std::string others;
    for (const clause_rule& rule : clause_rules()) {
      if (rule.allowed & in(on)) names.emplace_back(rule.name);
      if (rule.name != name) continue;
      for (const directive_rule& one : directive_rules())
        if (rule.allowed & in(one.kind)) others += fmt::format("{}{}", others.empty() ? "" : ", ", one.name);
    }
    throw error("O02", fmt::format("the directive \"{}\" cannot have the clause \"{}\"", name_of(on), name))
        .fact("at", fmt::format("{}:{}", where_.file, where_.line))
        .because(others.empty() ? "OpenACC 3.3 has no clause of that name" : "it is a clause of " + others)
        .remedy(others.empty() ? nearest_or_all(name, names, "leave it out, or use one of")
                               : "leave it out, or move it to one of these");
  }

  void read_with_reasons(clause& into, argument_form form) {
    try {
      read_argument(into, form);
    } catch (const misread& why) {
      throw error("O03", fmt::format("the clause \"{}\" cannot be read", into.spelling))
          .fact("at", fmt::format("{}:{}", where_.file, where_.line))
          .because(why.because)
          .remedy(fmt::format("write it as {}{}", into.spelling, example_of(form)));
    }
  }

  void read_argument(clause& into, argument_form form) {
    if (form == argument_form::none) return;
    if (!is("(")) {
      if (may_stand_alone(form)) return;
      throw misread{fmt::format("{} follows it, where its argument in parentheses is needed", found())};
    }
    ++at_;
    read_parts(into, form);
    require(")", "behind the argument");
  }

  static bool may_stand_alone(argument_form form) {
    return form == argument_form::optional_expression || form == argument_form::optional_expressions ||
           form == argument_form::gang || form == argument_form::worker || form == argument_form::vector ||
           form == argument_form::wait || form == argument_form::buffer;
  }

  void read_parts(clause& into, argument_form form) {
    switch (form) {
      case argument_form::none: return;
      case argument_form::expression:
      case argument_form::optional_expression: into.arguments.push_back(read_expression()); return;
      case argument_form::expressions:
      case argument_form::optional_expressions: return read_expressions(into.arguments);
      case argument_form::modified_variables: read_modifiers(into); [[fallthrough]];
      case argument_form::variables: return read_variables(into);
      case argument_form::reduction: return read_reduction(into);
      case argument_form::gang: return read_gang(into);
      case argument_form::worker: return read_labelled(into, "num");
      case argument_form::vector: return read_labelled(into, "length");
      case argument_form::collapse:
        if (is("force") && is_followed_by(":")) at_ += 2, into.is_forced = true;
        into.arguments.push_back(read_expression());
        return;
      case argument_form::tile: return read_sizes(into.arguments);
      case argument_form::wait: return read_queues(into);
      case argument_form::names: return read_names(into);
      case argument_form::default_value: return read_default(into);
      case argument_form::function: return read_function(into);
      case argument_form::buffer: return read_buffer(into);
    }
  }

  /// Up to a comma, a colon, or a bracket that closes one around it; what stands in brackets may have commas.
  tokens read_expression() {
    tokens result;
    int depth = 0, questions = 0;
    for (; !is_at_end(); ++at_) {
      const token& t = all_[at_];
      if (depth == 0 && (t == "," || closes(t) || (t == ":" && questions == 0))) break;
      depth += opens(t) ? 1 : closes(t) ? -1 : 0;
      if (depth == 0) questions += t == "?" ? 1 : t == ":" ? -1 : 0;
      result.push_back(t);
    }
    if (depth > 0) throw misread{"a bracket of its argument is not closed"};
    if (result.empty()) throw misread{fmt::format("{} stands where an expression is needed", found())};
    return result;
  }

  void read_expressions(std::vector<tokens>& into) {
    do into.push_back(read_expression());
    while (skip_if(","));
  }

  void read_sizes(std::vector<tokens>& into) {
    do {
      if (is("*") && (is_followed_by(",") || is_followed_by(")"))) into.push_back({all_[at_++]});
      else into.push_back(read_expression());
    } while (skip_if(","));
  }

  /// num: or length: and an expression, which may have no label.
  void read_labelled(clause& into, std::string_view label) {
    if (is(label) && is_followed_by(":")) at_ += 2;
    into.arguments.push_back(read_expression());
  }

  void read_gang(clause& into) {
    do {
      if (is("static") && is_followed_by(":")) {
        at_ += 2;
        if (is("*")) into.static_size = {all_[at_++]};
        else into.static_size = read_expression();
      } else if (is("dim") && is_followed_by(":")) {
        at_ += 2;
        into.dimension = read_expression();
      } else {
        read_labelled(into, "num");
      }
    } while (skip_if(","));
  }

  /// readonly: or zero:, several of them before one colon.
  void read_modifiers(clause& into) {
    const auto first = at_;
    bool is_readonly = false, is_zeroed = false;
    while (is("readonly") || is("zero")) {
      (is("zero") ? is_zeroed : is_readonly) = true;
      ++at_;
      skip_comma();
    }
    if (at_ == first || !skip_if(":")) {
      at_ = first;  // variables of these names
      return;
    }
    const bool may_be_readonly = into.kind == clause_kind::copyin || into.kind == clause_kind::cached;
    const bool may_be_zeroed = into.kind == clause_kind::copyout || into.kind == clause_kind::create;
    if ((is_readonly && !may_be_readonly) || (is_zeroed && !may_be_zeroed))
      throw misread{is_readonly ? "readonly is a modifier of copyin and cache"
                                : "zero is a modifier of copyout and create"};
    into.is_readonly = is_readonly;
    into.is_zeroed = is_zeroed;
  }

  void read_variables(clause& into) {
    do into.variables.push_back(read_variable());
    while (skip_if(","));
  }

  variable read_variable() {
    if (!is_name()) throw misread{fmt::format("{} stands where the name of a variable is needed", found())};
    variable result;
    result.path.push_back(all_[at_++]);
    for (;;) {
      if (is("[")) {
        const auto first = at_;
        result.sections.push_back(read_section());
        section_texts_.emplace_back(all_.begin() + static_cast<std::ptrdiff_t>(first),
                                    all_.begin() + static_cast<std::ptrdiff_t>(at_));
      } else if (is(".") || is("->")) {
        append_elements(result);
        result.path.push_back(all_[at_++]);
        if (!is_name()) throw misread{fmt::format("{} stands where the name of a member is needed", found())};
        result.path.push_back(all_[at_++]);
      } else {
        break;
      }
    }
    section_texts_.clear();
    return result;
  }

  /// Brackets ahead of a member are elements of the path: s[i].a[0:n].
  void append_elements(variable& of) {
    for (std::size_t i = 0; i < of.sections.size(); ++i) {
      if (!of.sections[i].is_element) throw misread{"a section of an array has no members"};
      of.path.insert(of.path.end(), section_texts_[i].begin(), section_texts_[i].end());
    }
    of.sections.clear();
    section_texts_.clear();
  }

  section read_section() {
    section result;
    require("[", "in front of a section");
    if (!is(":")) result.lower = read_expression();
    result.is_element = !skip_if(":");
    if (!result.is_element && !is("]")) result.length = read_expression();
    require("]", "behind a section");
    return result;
  }

  void read_reduction(clause& into) {
    const auto* const found_operator =
        std::ranges::find_if(reduction_operators, [&](const auto& one) { return is(one.first); });
    if (found_operator == reduction_operators.end())
      throw misread{fmt::format("{} is none of the operators +, *, max, min, &, |, ^, && and ||", found())};
    into.operation = found_operator->second;
    ++at_;
    require(":", "behind the operator");
    read_variables(into);
  }

  void read_queues(clause& into) {
    if (is("devnum") && is_followed_by(":")) {
      at_ += 2;
      into.device_number = read_expression();
      require(":", "behind the device's number");
    }
    if (is("queues") && is_followed_by(":")) at_ += 2;
    read_expressions(into.arguments);
  }

  void read_names(clause& into) {
    do {
      if (!is_name() && !is("*")) throw misread{fmt::format("{} is no type of a device", found())};
      into.names.push_back(all_[at_++].spelling);
    } while (skip_if(","));
  }

  void read_default(clause& into) {
    if (!is("none") && !is("present")) throw misread{fmt::format("{} is neither none nor present", found())};
    into.names.push_back(all_[at_++].spelling);
  }

  void read_function(clause& into) {
    const bool is_text = !is_at_end() && all_[at_].is == token::what::text && all_[at_].spelling.size() > 2;
    if (!is_name() && !is_text) throw misread{fmt::format("{} is no name of a function", found())};
    const std::string& text = all_[at_++].spelling;
    into.names.push_back(is_text ? text.substr(1, text.size() - 2) : text);
  }

  void read_buffer(clause& into) {
    while (!is(")")) {
      if (!is("device") && !is("readonly")) throw misread{fmt::format("{} is neither device nor readonly", found())};
      into.names.push_back(all_[at_++].spelling);
      if (!skip_if(",")) break;
    }
  }

  const tokens& all_;
  const source_line& where_;
  std::size_t at_ = 0;
  std::vector<tokens> section_texts_;  // of the variable that is being read
};

}  // namespace

directive parse_directive(std::string_view text, const source_line& where) {
  const tokens all = device::tokens_of(text);
  directive result = parser(all, where).read();
  check_conflicts(result);
  return result;
}

}  // namespace stretto::cc::acc
