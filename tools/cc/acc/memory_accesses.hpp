// memory_accesses.hpp - which elements of arrays, and behind pointers, the iterations of a loop read and write.
//
// Threads     pure.
// Cost        linear in the code.
#pragma once

#include <string>
#include <vector>

#include "cc/acc/index_form.hpp"

namespace stretto::cc::acc {

struct memory_access {
  const declaration* base;                         // the array, or the pointer to its elements; null: not known
  std::vector<std::optional<index_form>> indices;  // of the dimensions; none: any element
  bool is_write;
  loop_ranges loops;  // around it: the loop itself first
  type_ref type;      // of the element
  std::string text;   // as in the source
};

struct loop_accesses {
  std::vector<memory_access> all;
  std::string obstacle;  // why the iterations may not run at the same time, whatever they access; empty: nothing
};

/// Of a loop that loop_shape_of knows. Indices are in terms of the variables of loops, and of variables that the loop
/// does not change.
loop_accesses accesses_of(const statement& loop);

}  // namespace stretto::cc::acc
