#include "cc/acc/statement.hpp"

namespace stretto::cc::acc {
namespace {

bool is(const tokens& program, std::size_t at, std::string_view spelling) {
  return at < program.size() && program[at] == spelling;
}

/// Behind an expression and the sign that ends it, outside of brackets; `first` if the block ends before that.
std::size_t end_of_expression(const tokens& program, std::size_t first, std::string_view sign) {
  for (std::size_t at = first; at < program.size();) {
    if (program[at] == sign) return at + 1;
    if (program[at] == "}") return first;
    const bool opens = program[at] == "(" || program[at] == "[" || program[at] == "{";
    at = opens ? end_of_brackets(program, at) : at + 1;
  }
  return first;
}

/// Behind the keyword and what stands in parentheses after it; `first` if the keyword has none.
std::size_t end_of_condition(const tokens& program, std::size_t keyword) {
  return is(program, keyword + 1, "(") ? end_of_brackets(program, keyword + 1) : keyword;
}

std::size_t end_of_branch(const tokens& program, std::size_t condition) {
  const auto then = end_of_statement(program, condition);
  return is(program, then, "else") ? end_of_statement(program, then + 1) : then;
}

bool is_label(const tokens& program, std::size_t at) {
  return program[at].is == token::what::name && is(program, at + 1, ":");
}

}  // namespace

std::size_t end_of_brackets(const tokens& program, std::size_t first) {
  int depth = 0;
  for (std::size_t at = first; at < program.size(); ++at) {
    const token& t = program[at];
    if (t == "(" || t == "[" || t == "{") ++depth;
    else if ((t == ")" || t == "]" || t == "}") && --depth == 0) return at + 1;
  }
  return program.size();
}

std::size_t end_of_statement(const tokens& program, std::size_t first) {
  for (;;) {
    if (first >= program.size() || program[first] == "}") return first;
    const token& t = program[first];
    if (t == "{") return end_of_brackets(program, first);
    if (t == "do") return end_of_expression(program, end_of_statement(program, first + 1), ";");
    const bool has_condition = t == "for" || t == "while" || t == "switch" || t == "if";
    const auto next = has_condition              ? end_of_condition(program, first)
                      : t == "case"              ? end_of_expression(program, first, ":")
                      : is_label(program, first) ? first + 2  // also "default:"
                                                 : first;
    if (next == first) return end_of_expression(program, first, ";");
    if (t == "if") return end_of_branch(program, next);
    first = next;  // the statement behind it
  }
}

/// extern "C" { and namespace a::b {, whose braces hold definitions of file scope.
bool opens_file_scope(const tokens& program, std::size_t brace) {
  if (brace >= 2 && program[brace - 2] == "extern" && program[brace - 1].is == token::what::text) return true;
  std::size_t at = brace;
  while (at > 0 && (program[at - 1].is == token::what::name || program[at - 1] == "::")) {
    --at;
    if (program[at] == "namespace") return true;
  }
  return false;
}

std::vector<std::size_t> starts_of_definitions(const tokens& program) {
  std::vector<std::size_t> all{0};
  int depth = 0;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const token& t = program[i];
    if (t == "{" && depth == 0 && opens_file_scope(program, i)) {
      all.push_back(i + 1);
      continue;
    }
    if (t == "{") ++depth;
    else if (t == "}" && depth > 0) --depth;
    if (depth == 0 && (t == ";" || t == "}")) all.push_back(i + 1);
  }
  return all;
}

}  // namespace stretto::cc::acc
