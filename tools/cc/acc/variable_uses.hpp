// variable_uses.hpp - the variables that a region uses and does not declare itself, and how it uses them.
//
// Threads     pure.
// Cost        linear in the code.
#pragma once

#include <string>
#include <vector>

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

struct variable_use {
  const declaration* of;
  bool is_read = false;      // the value of the variable itself
  bool is_written = false;   // by an assignment, ++ or --, to it or to its members
  bool is_accessed = false;  // memory that it points to, or elements of the array
  bool is_address = false;   // its address is taken
  std::size_t offset = 0;    // of its first use
};

/// Variables that are declared outside of the region, in the order of their first use; no functions and constants.
std::vector<variable_use> outer_variables(const statement& region);

}  // namespace stretto::cc::acc
