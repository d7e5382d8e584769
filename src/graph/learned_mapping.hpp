// learned_mapping.hpp - from what chunks of a launch were seen to use, the mapper that names just that.
//
// Threads     a function of values.
// Invariants  (1) what is proposed names all that was used. (2) of the mappers of mapper.hpp and buffer.hpp that do, it names the least; a
//             function of a chunk is proposed where the least is by far more than was used, and the function names just that.
#pragma once

#include <span>
#include <string>

#include "graph/mapping.hpp"
#include "graph/observed_use.hpp"

namespace stretto::graph {

struct learned_mapping {
  std::string text;  // as the program would write it: "star(1)"; empty: no element was used
  std::uint64_t named = 0;  // elements, over all chunks
  std::uint64_t used = 0;   // likewise; 0 if not known
  /// Whether it names about what was used, as far as that is known.
  bool fits() const noexcept { return used == 0 || named - used <= used / 4; }
};

/// Of `dimensions` axes. `uses`: of all chunks of launches over `range`.
learned_mapping learn_mapping(std::span<const observed_use> uses, const box& range, const box& elements, int dimensions);

/// How many elements the mapping names, over all these chunks; and whether it names all that they used.
struct compared_mapping {
  std::uint64_t named = 0;
  bool is_enough = true;
};
compared_mapping compare(const mapping& m, std::span<const observed_use> uses, const box& range);

}  // namespace stretto::graph
