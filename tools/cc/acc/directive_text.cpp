#include "cc/acc/directive_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "cc/acc/directive_rules.hpp"

namespace stretto::cc::acc {
namespace {

std::string text_of(const variable& v) {
  std::string text = joined_text(v.path);
  for (const section& one : v.sections)
    text += fmt::format("[{}{}{}]", joined_text(one.lower), one.is_element ? "" : ":", joined_text(one.length));
  return text;
}

std::string_view sign_of(reduction_operator one) {
  switch (one) {
    case reduction_operator::add: return "+";
    case reduction_operator::multiply: return "*";
    case reduction_operator::max: return "max";
    case reduction_operator::min: return "min";
    case reduction_operator::bit_and: return "&";
    case reduction_operator::bit_or: return "|";
    case reduction_operator::bit_xor: return "^";
    case reduction_operator::logical_and: return "&&";
    case reduction_operator::logical_or: return "||";
  }
  return "";
}

/// What stands ahead of a colon.
std::string label_of(const clause& c) {
  if (c.kind == clause_kind::reduction) return fmt::format("{}: ", sign_of(c.operation));
  if (c.is_readonly) return "readonly: ";
  if (c.is_zeroed) return "zero: ";
  if (c.is_forced) return "force: ";
  if (!c.device_number.empty()) return fmt::format("devnum: {}: queues: ", joined_text(c.device_number));
  return "";
}

std::string lines_of(const placed_directive& one, const preprocessed_text& source) {
  if (one.first == one.last) return "";
  const auto line_of = [&](std::size_t index) { return source.line_at(source.program()[index].offset).line; };
  const auto first = line_of(one.first), last = line_of(one.last - 1);
  return first == last ? fmt::format(", line {}", first) : fmt::format(", lines {} to {}", first, last);
}

void append(std::string& text, const placed_directive& one, const preprocessed_text& source,
            const directive_facts& facts, std::size_t depth) {
  const std::string indent(2 * depth, ' ');
  text += fmt::format("{}{}:{}: {}{}\n", indent, one.what.where.file, one.what.where.line, name_of(one.what.kind),
                      lines_of(one, source));
  for (const clause& c : one.what.clauses) text += fmt::format("{}  {}\n", indent, text_of(c));
  if (const auto found = facts.find(one.pragma); found != facts.end())
    for (const std::string& fact : found->second) text += fmt::format("{}  - {}\n", indent, fact);
  for (const placed_directive& inner : one.inside) append(text, inner, source, facts, depth + 1);
}

}  // namespace

std::string joined_text(const tokens& expression) {
  std::string text;
  bool was_word = false;
  for (const token& t : expression) {
    const bool is_word = t.is != token::what::sign;
    if (is_word && was_word) text += ' ';
    text += t.spelling;
    was_word = is_word;
  }
  return text;
}

std::string text_of(const clause& c) {
  std::vector<std::string> parts;
  if (!c.static_size.empty()) parts.push_back("static: " + joined_text(c.static_size));
  if (!c.dimension.empty()) parts.push_back("dim: " + joined_text(c.dimension));
  for (const tokens& one : c.arguments) parts.push_back(joined_text(one));
  for (const std::string& one : c.names) parts.push_back(one);
  for (const variable& one : c.variables) parts.push_back(text_of(one));
  if (parts.empty()) return c.spelling;
  return fmt::format("{}({}{})", c.spelling, label_of(c), fmt::join(parts, ", "));
}

std::string text_of(const directive_tree& tree, const preprocessed_text& source, const directive_facts& facts) {
  std::string text;
  for (const placed_directive& one : tree.outermost) append(text, one, source, facts, 0);
  return text;
}

}  // namespace stretto::cc::acc
