// clause_conflicts.hpp - clauses of a directive that exclude each other, come twice, or are missing.
//
// Threads     pure.
#pragma once

#include "cc/acc/directive.hpp"

namespace stretto::cc::acc {

/// Throws O04 for the first conflict.
void check_conflicts(const directive& d);

}  // namespace stretto::cc::acc
