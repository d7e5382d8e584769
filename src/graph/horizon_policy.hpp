// horizon_policy.hpp - when the next horizon is due.
#pragma once

#include <cstdint>

namespace stretto::graph {

/// The program sets these values: they must be the same on every node at the same point of the program.
struct horizon_policy {
  std::uint64_t step = 4;  // growth of the critical path, in tasks, after which a horizon is due; 0: no such limit
  // number of tasks without successors from which a horizon is due; at least 2, or 0: no such limit
  std::uint64_t most_parallel = 256;

  constexpr bool is_due(std::uint64_t grown, std::uint64_t front) const noexcept {
    return (step != 0 && grown >= step) || (most_parallel != 0 && front >= most_parallel);
  }
};

}  // namespace stretto::graph
