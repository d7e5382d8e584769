#include "cc/acc/code_printer.hpp"

#include <fmt/format.h>

#include <string_view>

#include "cc/acc/operator_precedence.hpp"

namespace stretto::cc::acc {
namespace {

int tightness_of(const expression& e) {
  switch (e.is) {
    case expression_form::binary: return precedence_of(e.spelling);
    case expression_form::conditional: return precedence_of_condition;
    case expression_form::unary:
    case expression_form::cast:
    case expression_form::size_of: return precedence_of_unary;
    default: return precedence_of_postfix;
  }
}

bool is_comparison(int precedence) { return precedence == precedence_of("==") || precedence == precedence_of("<"); }
bool is_of_bits(int precedence) { return precedence >= precedence_of("|") && precedence <= precedence_of("&"); }

/// Whether compilers warn of an operand that C allows without parentheses: a << b + 1, a && b || c, !a == b.
bool is_unclear(const expression& operand, int outer) {
  if (operand.is == expression_form::unary && operand.spelling == "!") return is_comparison(outer);
  if (operand.is != expression_form::binary) return false;
  const int inner = precedence_of(operand.spelling);
  if (outer == precedence_of("||")) return inner == precedence_of("&&");
  if (outer == precedence_of("<<")) return inner == precedence_of("+");
  if (is_comparison(outer)) return is_comparison(inner);
  return is_of_bits(outer) && inner != outer &&
         (is_of_bits(inner) || is_comparison(inner) || inner == precedence_of("+"));
}

/// The type that stands ahead of the pointer signs and the name in a declaration.
const c_type& base_of(const c_type& type) {
  const bool has_signs = type.is == type_form::pointer || type.is == type_form::array;
  return has_signs && type.element ? base_of(*type.element) : type;
}

}  // namespace

std::string indent_of(unsigned depth) { return std::string(2 * std::size_t{depth}, ' '); }

std::string declaration_text(const c_type& type, const std::string& name) {
  if (type.is == type_form::pointer && type.element) {
    const bool needs_brackets = type.element->is == type_form::array || type.element->is == type_form::function;
    const std::string pointer = (type.is_const ? "*const " : "*") + name;
    return declaration_text(*type.element, needs_brackets ? fmt::format("({})", pointer) : pointer);
  }
  if (type.is == type_form::array && type.element)
    return declaration_text(*type.element,
                            fmt::format("{}[{}]", name, type.count ? std::to_string(*type.count) : type.extent));
  return name.empty() ? type.spelling : fmt::format("{} {}", type.spelling, name);
}

std::string code_printer::operand(const expression& e, int least) const {
  return tightness_of(e) < least ? fmt::format("({})", print(e)) : print(e);
}

/// Assignments in two pairs of parentheses, without which compilers warn of them.
std::string code_printer::condition_text(const expression& e) const {
  return tightness_of(e) == precedence_of_assignment ? fmt::format("({})", print(e)) : print(e);
}

std::string code_printer::joined(const std::vector<expression>& parts, std::size_t first) const {
  std::string text;
  for (std::size_t i = first; i < parts.size(); ++i)
    text += (i > first ? ", " : "") + operand(parts[i], precedence_of_assignment);
  return text;
}

std::string code_printer::binary_text(const expression& e) const {
  const int precedence = precedence_of(e.spelling);
  const bool is_assignment = precedence == precedence_of_assignment;
  const auto clear = [&](const expression& of, int least) {
    return is_unclear(of, precedence) ? fmt::format("({})", print(of)) : operand(of, least);
  };
  const std::string left = clear(e.parts[0], is_assignment ? precedence_of_unary : precedence);
  const std::string right = clear(e.parts[1], is_assignment ? precedence : precedence + 1);
  return fmt::format("{}{}{} {}", left, e.spelling == "," ? "" : " ", e.spelling, right);
}

std::string code_printer::unary_text(const expression& e) const {
  const std::string of = operand(e.parts[0], precedence_of_unary);
  // "- -x" and "& &x" are other operators without the space.
  return e.spelling + (of.starts_with(e.spelling.front()) ? " " : "") + of;
}

std::string code_printer::variable_text(const local_variable& one) const {
  std::string text = declaration_text(one.of->type, one.of->name);
  if (!one.extents.empty()) {  // as written: they need not be constants
    const c_type* type = &one.of->type;
    std::string name = one.of->name;
    for (const expression& extent : one.extents) {
      name += fmt::format("[{}]", print(extent));
      if (type->element) type = type->element.get();
    }
    text = declaration_text(*type, name);
  }
  if (one.initial.is != expression_form::none) text += " = " + operand(one.initial, precedence_of_assignment);
  return (one.is_static ? "static " : "") + text;
}

std::string code_printer::print(const expression& e) const {
  if (auto other = other_form(e)) return *other;
  return plain_text(e);
}

std::string code_printer::plain_text(const expression& e) const {
  switch (e.is) {
    case expression_form::none: return "";
    case expression_form::literal: return e.spelling;
    case expression_form::name: return name_text(e);
    case expression_form::member: return fmt::format("{}.{}", operand(e.parts[0], precedence_of_postfix), e.spelling);
    case expression_form::arrow: return fmt::format("{}->{}", operand(e.parts[0], precedence_of_postfix), e.spelling);
    case expression_form::element:
      return fmt::format("{}[{}]", operand(e.parts[0], precedence_of_postfix), print(e.parts[1]));
    case expression_form::call:
      return fmt::format("{}({})", operand(e.parts[0], precedence_of_postfix), joined(e.parts, 1));
    case expression_form::unary: return unary_text(e);
    case expression_form::postfix: return operand(e.parts[0], precedence_of_postfix) + e.spelling;
    case expression_form::binary: return binary_text(e);
    case expression_form::conditional:
      return fmt::format("{} ? {} : {}", operand(e.parts[0], precedence_of_condition + 1), print(e.parts[1]),
                         operand(e.parts[2], precedence_of_condition));
    case expression_form::cast:
      return fmt::format("({}){}", declaration_text(*e.type, ""), operand(e.parts[0], precedence_of_unary));
    case expression_form::size_of:
      return e.named ? fmt::format("sizeof({})", declaration_text(*e.named, ""))
                     : fmt::format("sizeof({})", print(e.parts[0]));
    case expression_form::list: return fmt::format("{{{}}}", joined(e.parts, 0));
    case expression_form::designated: return fmt::format("{} = {}", e.spelling, print(e.parts[0]));
  }
  return "";
}

/// Without the indent and the line end.
std::string code_printer::declarations_text(const statement& s) const {
  std::string text;
  for (const local_variable& one : s.variables) text += (text.empty() ? "" : " ") + variable_text(one) + ";";
  return text;
}

/// In a for, where variables share one declaration.
std::string code_printer::start_text(const statement& s) const {
  if (s.is == statement_form::evaluate) return print(s.values[0]);
  if (s.variables.empty()) return "";
  std::string text = variable_text(s.variables[0]);
  for (std::size_t i = 1; i < s.variables.size(); ++i) {
    const local_variable& one = s.variables[i];
    const std::string whole = variable_text(one);
    text += "," + whole.substr(base_of(one.of->type).spelling.size());
  }
  return text;
}

std::string code_printer::head_of_for(const statement& s) const {
  const auto behind_space = [&](const expression& e, const std::string& text) {
    return (e.is == expression_form::none ? "" : " ") + text;
  };
  return fmt::format("for ({};{};{})", start_text(s.parts[0]), behind_space(s.values[0], condition_text(s.values[0])),
                     behind_space(s.values[1], print(s.values[1])));
}

std::string code_printer::body_text(const statement& s, unsigned depth) const {
  return print(s, s.is == statement_form::block ? depth : depth + 1);
}

std::string code_printer::print(const statement& s, unsigned depth) const {
  if (auto other = replacement(s, depth)) return *other;
  return line_mark(s) + plain_text(s, depth);
}

std::string code_printer::plain_text(const statement& s, unsigned depth) const {
  const auto line = [&](const std::string& text) { return indent_of(depth) + text + "\n"; };
  switch (s.is) {
    case statement_form::empty: return line(";");
    case statement_form::block: {
      std::string text = line("{");
      for (const statement& one : s.parts) text += print(one, depth + 1);
      return text + line("}");
    }
    case statement_form::declarations: return line(declarations_text(s));
    case statement_form::evaluate: return line(print(s.values[0]) + ";");
    case statement_form::if_: {
      std::string text = line(fmt::format("if ({})", condition_text(s.values[0]))) + body_text(s.parts[0], depth);
      if (s.parts.size() > 1) text += line("else") + body_text(s.parts[1], depth);
      return text;
    }
    case statement_form::for_: return line(head_of_for(s)) + body_text(s.parts[1], depth);
    case statement_form::while_:
      return line(fmt::format("while ({})", condition_text(s.values[0]))) + body_text(s.parts[0], depth);
    case statement_form::switch_:
      return line(fmt::format("switch ({})", print(s.values[0]))) + body_text(s.parts[0], depth);
    case statement_form::do_:
      return line("do") + body_text(s.parts[0], depth) + line(fmt::format("while ({});", condition_text(s.values[0])));
    case statement_form::case_: return line(fmt::format("case {}:", print(s.values[0])));
    case statement_form::default_: return line("default:");
    case statement_form::break_: return line("break;");
    case statement_form::continue_: return line("continue;");
    case statement_form::return_:
      return line(s.values[0].is == expression_form::none ? "return;" : fmt::format("return {};", print(s.values[0])));
    case statement_form::goto_: return line(fmt::format("goto {};", s.values[0].spelling));
    case statement_form::label_: return line(s.values[0].spelling + ":;");
  }
  return "";
}

}  // namespace stretto::cc::acc
