// scalar_roles.hpp - the variables that the iterations of a loop change: temporaries, reductions, and those whose value
// goes from one iteration to the next.
//
// Threads     pure.
// Cost        linear in the code, times the number of variables that it changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

struct scalar_role {
  const declaration* of;
  std::optional<reduction_operator> reduction = {};  // none: each iteration sets it before it reads it
  std::string obstacle = {};                         // it is neither of them
};

/// Of variables that are declared outside of the body, are no arrays and are changed in it.
std::vector<scalar_role> scalar_roles(const statement& body);

}  // namespace stretto::cc::acc
