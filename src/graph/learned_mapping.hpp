// learned_mapping.hpp - finds the mapper that fits the elements that the chunks of a launch were observed to use.
//
// Threads     pure functions.
// Invariants  (1) the proposed mapper names everything that was used. (2) among the mappers of mapper.hpp and
//             buffer.hpp with that property it names the fewest elements. A function is proposed if every mapper names
//             far too much and the function names exactly what was used.
#pragma once

#include <span>
#include <string>

#include "graph/mapping.hpp"
#include "graph/observed_use.hpp"

namespace stretto::graph {

struct learned_mapping {
  std::string text;         // source text of the mapper: "star(1)"; empty: no element was used
  std::uint64_t named = 0;  // elements, over all chunks
  std::uint64_t used = 0;   // over all chunks; 0 if not known
  /// True if the mapper names little more than what was used, as far as that is known.
  bool fits() const noexcept { return used == 0 || named - used <= used / 4; }
};

/// The buffer has `dimensions` axes. `uses`: of all chunks of launches over `range`.
learned_mapping learn_mapping(std::span<const observed_use> uses, const box& range, const box& elements,
                              int dimensions);

/// The number of elements that the mapping names over all these chunks, and whether it names all that they used.
struct compared_mapping {
  std::uint64_t named = 0;
  bool is_enough = true;
};
compared_mapping compare(const mapping& m, std::span<const observed_use> uses, const box& range);

}  // namespace stretto::graph
