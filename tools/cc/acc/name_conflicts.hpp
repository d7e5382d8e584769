// name_conflicts.hpp - variables of one name in a region of C++, which would be one in its kernel.
//
// Threads     pure.
#pragma once

#include "cc/acc/planned_region.hpp"
#include "cc/acc/preprocessed_text.hpp"

namespace stretto::cc::acc {

/// Kernels have a variable for each argument, without namespaces and objects: this->n and a local n are both "n" there.
/// Throws O09 if a region uses two such variables.
void check_names(const region_plan& plan, const statement& region, const preprocessed_text& source);

}  // namespace stretto::cc::acc
