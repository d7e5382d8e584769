#include "cc/acc/called_functions.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "cc/acc/code_parser.hpp"
#include "cc/acc/expression_parser.hpp"
#include "cc/acc/statement.hpp"

namespace stretto::cc::acc {
namespace {

/// The index of the bracket that opens the one at `close`; 0 if none does.
std::size_t start_of_brackets(const tokens& program, std::size_t close) {
  int depth = 0;
  for (std::size_t at = close + 1; at-- > 0;) {
    if (program[at] == ")") ++depth;
    else if (program[at] == "(" && --depth == 0) return at;
  }
  return 0;
}

/// The function whose body begins at a brace at file scope; `name` is 0 if it is none.
function_tokens function_at(const tokens& program, std::size_t first, std::size_t brace) {
  function_tokens found{first, 0, brace, end_of_brackets(program, brace)};
  if (brace == 0 || !(program[brace - 1] == ")")) return found;
  const std::size_t open = start_of_brackets(program, brace - 1);
  if (open > first && program[open - 1].is == token::what::name) found.name = open - 1;
  return found;
}

bool is_call(const tokens& program, std::size_t at) {
  return program[at].is == token::what::name && at + 1 < program.size() && program[at + 1] == "(";
}

std::size_t range_first(const tokens& program, const function_tokens& one) { return program[one.first].offset; }
std::size_t range_last(const tokens& program, const function_tokens& one) {
  return program[one.last - 1].offset + program[one.last - 1].spelling.size();
}

std::vector<text_range> merged(std::vector<text_range> parts) {
  std::ranges::sort(parts, {}, &text_range::first);
  std::vector<text_range> all;
  for (const text_range& one : parts) {
    if (!all.empty() && one.first < all.back().last) all.back().last = std::max(all.back().last, one.last);
    else all.push_back(one);
  }
  return all;
}

}  // namespace

function_map function_definitions(const preprocessed_text& source) {
  function_map all;
  const tokens& program = source.program();
  std::size_t first = 0;
  for (std::size_t at = 0; at < program.size();) {
    if (program[at] == "{" && opens_file_scope(program, at)) {
      first = ++at;
    } else if (program[at] == "}") {
      first = ++at;
    } else if (program[at] == "{") {
      const function_tokens found = function_at(program, first, at);
      at = found.last;
      if (found.name == 0) continue;
      all.emplace(program[found.name].spelling, found);
      first = at;
    } else {
      if (program[at] == ";") first = at + 1;
      ++at;
    }
  }
  return all;
}

std::vector<text_range> with_called_functions(const preprocessed_text& source, const std::vector<text_range>& parts) {
  const auto definitions = function_definitions(source);
  const tokens& program = source.program();
  std::vector<text_range> all = parts;
  std::set<std::string> known;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const text_range part = all[i];
    for (auto at = source.token_behind(part.first); at < program.size() && program[at].offset < part.last; ++at) {
      if (!is_call(program, at) || !known.insert(program[at].spelling).second) continue;
      const auto [begin, end] = definitions.equal_range(program[at].spelling);
      for (auto found = begin; found != end; ++found)
        all.push_back({range_first(program, found->second), range_last(program, found->second)});
    }
  }
  return merged(std::move(all));
}

const function_tokens* called_functions::definition_of(const declaration& of) const {
  const auto [begin, end] = tokens_.equal_range(of.name);
  for (auto one = begin; one != end; ++one)
    if (source_.program()[one->second.name].offset == of.offset) return &one->second;
  // C has one function of a name, and a declaration may stand ahead of it.
  const bool is_only = begin != end && std::next(begin) == end;
  return is_only && names_.language() == language::c ? &begin->second : nullptr;
}

const function_definition* called_functions::find(const declaration& of) const {
  const function_tokens* const found = definition_of(of);
  if (!found) return nullptr;
  if (const auto known = read_.find(found); known != read_.end()) return known->second.get();
  auto function = read(*found);
  return (read_[found] = std::move(function)).get();
}

std::unique_ptr<function_definition> called_functions::read(const function_tokens& at) const {
  const tokens& program = source_.program();
  const declaration* const of = names_.at(program[at.name].offset);
  if (!of || of->type.is != type_form::function) return nullptr;
  auto result = std::make_unique<function_definition>(
      function_definition{.of = of,
                          .parameters = {},
                          .whole = {.what = {.kind = directive_kind::routine, .where = {}, .clauses = {}},
                                    .pragma = 0,
                                    .first = at.body,
                                    .last = at.last},
                          .body = {}});
  std::size_t first = at.name + 2;
  for (std::size_t i = first; i < at.body; ++i) {
    const bool is_end = i + 1 == at.body;
    if (program[i] == "(") i = end_of_brackets(program, i) - 1;
    else if (program[i] == "," || is_end) {
      if (const function_parameter one = read_parameter(first, i); one.of) result->parameters.push_back(one);
      first = i + 1;
    }
  }
  for (const placed_directive& one : tree_.outermost)
    if (one.first >= at.body && one.last <= at.last) result->whole.inside.push_back(one);
  result->body = read_code(source_, names_, result->whole);
  return result;
}

/// `of` is null for (void).
function_parameter called_functions::read_parameter(std::size_t first, std::size_t last) const {
  const tokens& program = source_.program();
  function_parameter result{.of = nullptr, .rows = {}};
  std::size_t at = first;
  for (; at < last && !result.of; ++at) {
    const declaration* const found = names_.at(program[at].offset);
    if (found && found->offset == program[at].offset) result.of = found;
  }
  if (!result.of) return result;
  for (; at < last; ++at) {
    if (!(program[at] == "[")) continue;
    const std::size_t end = end_of_brackets(program, at);
    expression_reader extent(source_, names_, at + 1, end - 1);
    // The first extent of an array says nothing: the parameter is a pointer.
    const bool is_first = at > 0 && program[at - 1].offset == result.of->offset;
    if (!is_first) result.rows.push_back(at + 2 == end ? expression{} : extent.read_expression());
    at = end - 1;
  }
  return result;
}

}  // namespace stretto::cc::acc
