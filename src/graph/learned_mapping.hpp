// learned_mapping.hpp - from what chunks of a launch were seen to use, the mapper that names just that.
//
// Threads     a function of values.
// Invariants  (1) what is proposed names all that was used. (2) of the mappers of mapper.hpp and buffer.hpp that do, it names the least.
#pragma once

#include <span>
#include <string>

#include "graph/mapping.hpp"

namespace stretto::graph {

struct seen_use {
  box chunk;
  box used;            // the least box with all that it used
  bool has_corners = false;  // beyond the chunk along two axes at once
};

struct learned_mapping {
  std::string text;  // as the program would write it: "star(1)"; empty: no element was used
  std::uint64_t named = 0;  // elements, over all chunks
};

/// Of `dimensions` axes. `uses`: of all chunks of launches over `range`.
learned_mapping learn_mapping(std::span<const seen_use> uses, const box& range, const box& elements, int dimensions);

/// How many elements the mapping names, over all these chunks; and whether it names all that they used.
struct compared_mapping {
  std::uint64_t named = 0;
  bool is_enough = true;
};
compared_mapping compare(const mapping& m, std::span<const seen_use> uses, const box& range);

}  // namespace stretto::graph
