// row_extents.hpp - arrays whose rows have a size that is known at run time: the host passes the sizes to the kernel.
//
// Threads     pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cc/acc/source_names.hpp"

namespace stretto::cc::acc {

/// The number of elements of a dimension.
struct row_extent {
  std::string name;     // of the kernel's variable
  std::string of_host;  // an expression where the array is declared
};

struct sized_type {
  std::shared_ptr<const c_type> type;  // that of the variable, with the names in place of sizes that are no constants
  std::vector<row_extent> extents;     // of all dimensions but the first
};

sized_type with_extents(const declaration& of);

/// Whether an array has a dimension whose size is no constant, the first one too.
bool has_unknown_size(const c_type& type);

}  // namespace stretto::cc::acc
