// proven_loops.hpp - how many of nested loops in a kernels construct may be divided together.
//
// Threads     pure.
#pragma once

#include <cstddef>

#include "cc/acc/loop_dependence.hpp"

namespace stretto::cc::acc {

struct proven_loops {
  std::string obstacle;              // why not even the outermost one may be divided; else empty
  std::size_t count = 0;             // of loops, outermost first, of which each is all that the one around it does
  std::vector<scalar_role> scalars;  // variables of which each iteration of all of them has its own
};

/// At most `limit` loops. One inside that has a directive of its own is left as the directive says.
proven_loops prove_loops(const statement& loop, std::size_t limit, const std::vector<const declaration*>& given);

}  // namespace stretto::cc::acc
