// directive_rules.hpp - which directives OpenACC has, which clauses each may have, and what these take.
//
// Threads     constants.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "cc/acc/directive.hpp"

namespace stretto::cc::acc {

struct directive_rule {
  directive_kind kind;
  std::string_view name;  // "enter data"
};

/// What stands in the parentheses of a clause.
enum class argument_form : std::uint8_t {
  none,                  // no parentheses
  expression,            // (e)
  optional_expression,   // nothing, or (e)
  expressions,           // (e, e, ...)
  optional_expressions,  // nothing, or those
  variables,             // (x, a[0:n], s.m)
  modified_variables,    // (x, ...) or (modifier: x, ...)
  reduction,             // (operator: x, ...)
  gang,                  // nothing, or num:, dim:, static: and expressions
  worker,                // nothing, or (e), (num: e)
  vector,                // nothing, or (e), (length: e)
  collapse,              // (e) or (force: e)
  tile,                  // (e or *, ...)
  wait,                  // nothing, or (e, ...), (devnum: e : queues: e, ...)
  names,                 // (name, ...) or *
  default_value,         // (none) or (present)
  function,              // (name) or ("name")
  buffer,                // nothing, or (device, readonly)
};

using directive_set = std::uint32_t;  // a bit per directive
constexpr directive_set in(directive_kind kind) { return directive_set{1} << static_cast<unsigned>(kind); }

struct clause_rule {
  clause_kind kind;
  std::string_view name;
  argument_form form;
  directive_set allowed;
  bool is_repeatable;  // within the clauses of the same device type
};

std::span<const directive_rule> directive_rules() noexcept;
std::span<const clause_rule> clause_rules() noexcept;

/// "parallel loop".
std::string_view name_of(directive_kind kind) noexcept;
/// The rule of a clause of that name on that directive; null if it may not have one.
const clause_rule* find_rule(std::string_view name, directive_kind on) noexcept;

}  // namespace stretto::cc::acc
