// index_bounds.hpp - which elements behind a pointer the loops of a region use, where their indices are sums and
// products of loop variables and values of the host.
//
// Threads     pure.
// Cost        linear in the code.
#pragma once

#include <optional>
#include <string>

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

/// The least and the greatest index, in C, for the host ahead of the region. Factors are taken not to be negative.
struct index_bounds {
  std::string first, last;
};

/// Nothing if the region uses the pointer in another way than by elements, or by indices of another form, or uses
/// elements under a condition alone: they need not exist.
std::optional<index_bounds> bounds_of(const statement& region, const declaration* pointer);

}  // namespace stretto::cc::acc
