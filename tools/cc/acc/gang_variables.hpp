// gang_variables.hpp - variables of which gangs, or iterations of loops, have their own: those of private and
// reduction.
//
// Threads     pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cc/acc/own_part.hpp"

namespace stretto::cc::acc {

/// A variable of which each gang, or each iteration of a loop, has its own.
struct private_variable {
  const declaration* of;
  std::optional<own_part> part = {};  // of a pointer: the elements behind it
};

/// A variable whose copies are combined at the end. Of arrays, the elements are.
struct reduced_variable {
  const declaration* of;
  reduction_operator operation;
  std::optional<own_part> part = {};  // of an array; a single number has none
  bool is_found = false;              // no clause names it
};

/// The variable of that name that a region uses; null if it uses none.
using find_variable = std::function<const declaration*(const std::string& name)>;

/// Of the clauses of a directive; variables that the region does not use are left out.
///
///   throws   O10 for an array whose size is no constant, and for what no reduction takes
std::vector<private_variable> privates_of(const directive& d, const find_variable& find, const name_scope& scope);
std::vector<reduced_variable> reductions_of(const directive& d, const find_variable& find, const name_scope& scope);

}  // namespace stretto::cc::acc
