// loop_dependence.hpp - whether the iterations of a loop may run at the same time.
//
// Threads     pure.
// Cost        quadratic in the accesses to memory.
// Source      U. Banerjee, "Dependence Analysis for Supercomputing", 1988: the tests by greatest common divisors and by
//             ranges, here with products of variables as coefficients.
#pragma once

#include <string>
#include <vector>

#include "cc/acc/memory_accesses.hpp"
#include "cc/acc/scalar_roles.hpp"

namespace stretto::cc::acc {

struct loop_verdict {
  std::string obstacle;              // why iterations may depend on each other; empty: they do not
  std::vector<scalar_role> scalars;  // variables of which gangs have their own: temporaries and reductions
};

/// Of a loop that loop_shape_of knows.
///
///   given   variables that clauses make private, or reduce
///
/// Different pointers may point to the same elements, unless one of them is `restrict` or the types of their elements
/// differ. Indices lie within the bounds of their dimension.
loop_verdict dependence_of(const statement& loop, const std::vector<const declaration*>& given);

}  // namespace stretto::cc::acc
