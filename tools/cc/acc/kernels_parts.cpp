#include "cc/acc/kernels_parts.hpp"

#include <algorithm>

#include "cc/acc/jumps.hpp"
#include "cc/acc/loop_shape.hpp"

namespace stretto::cc::acc {
namespace {

token name_token(const std::string& name) { return {.is = token::what::name, .spelling = name}; }

clause clause_of(clause_kind kind, const char* spelling, tokens argument) {
  clause made{.kind = kind, .spelling = spelling};
  made.arguments.push_back(std::move(argument));
  return made;
}

/// Clauses that the launches have together are those of the data region.
bool is_of_launch(clause_kind kind) {
  switch (kind) {
    case clause_kind::async:
    case clause_kind::default_:
    case clause_kind::num_gangs:
    case clause_kind::num_workers:
    case clause_kind::vector_length: return true;
    default: return false;
  }
}

}  // namespace

std::vector<statement> parts_of(const statement& region) {
  const statement& block = only_statement(region);
  if (block.is != statement_form::block || block.parts.size() < 2 || has_jumps(block)) return {};
  std::vector<statement> parts;
  bool is_group = false;
  for (const statement& one : block.parts) {
    if (one.is == statement_form::declarations) return {};
    const bool is_loop = one.is == statement_form::for_;
    if (is_loop) parts.push_back(one);
    else if (!is_group) parts.push_back({.is = statement_form::block, .offset = one.offset, .parts = {one}});
    else parts.back().parts.push_back(one);
    is_group = !is_loop;
  }
  return parts;
}

kernels_directives::kernels_directives(const placed_directive& construct, const region_plan& whole,
                                       const std::string& on_host)
    : construct_(construct),
      launch_(construct),
      data_{directive_kind::data, construct.what.where, {}},
      shared_{directive_kind::data, construct.what.where, {}} {
  std::erase_if(launch_.what.clauses, [](const clause& one) { return !is_of_launch(one.kind); });
  launch_.what.clauses.push_back(clause_of(clause_kind::self, "self", {name_token(on_host)}));
  for (const clause& one : construct.what.clauses)
    if (one.kind == clause_kind::async || one.kind == clause_kind::wait) data_.clauses.push_back(one);
  data_.clauses.push_back(
      clause_of(clause_kind::if_, "if", {{.is = token::what::sign, .spelling = "!"}, name_token(on_host)}));
  clause shared{.kind = clause_kind::copy, .spelling = ""};
  for (const kernel_argument& one : whole.arguments)
    if (one.way == argument_way::reference) shared.variables.push_back({{name_token(one.of->name)}, {}});
  for (const data_item& one : whole.data)
    if (!one.is_member()) shared.variables.push_back({{name_token(one.of->name)}, {}});
  shared_.clauses.push_back(std::move(shared));
}

}  // namespace stretto::cc::acc
