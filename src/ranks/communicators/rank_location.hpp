// rank_location.hpp - where a rank runs.
//
// Threads     values.
#pragma once

#include <compare>

namespace stretto::ranks {

/// Ranks with equal locations share a worker.
struct rank_location {
  int node = 0;
  int worker = 0;

  friend auto operator<=>(const rank_location&, const rank_location&) = default;
};

}  // namespace stretto::ranks
