// horizon_policy.hpp - when the next horizon is due.
#pragma once

#include <cstdint>

namespace stretto::graph {

/// Values of the program's: the same on every node at the same point of it.
struct horizon_policy {
  std::uint64_t step = 4;             // the critical path has grown by so many tasks since the last one; 0: never for that
  std::uint64_t most_parallel = 256;  // so many tasks that nobody follows; at least 2, or 0: never for that

  constexpr bool is_due(std::uint64_t grown, std::uint64_t front) const noexcept {
    return (step != 0 && grown >= step) || (most_parallel != 0 && front >= most_parallel);
  }
};

}  // namespace stretto::graph
