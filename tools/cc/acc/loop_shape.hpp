// loop_shape.hpp - loops that can be divided among threads: a variable that runs from one value to another by a step.
//
// Threads     pure.
#pragma once

#include <optional>
#include <vector>

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

/// for (i = first; i < last; i += step). The values are the same in all iterations: nothing here checks that.
struct loop_shape {
  const declaration* variable = nullptr;
  expression first, last, step;   // step: "none" is 1
  bool is_last_included = false;  // <= or >=
  bool goes_down = false;         // the step is subtracted, or the condition is > or >=
  const statement* body = nullptr;
};

/// The shape of a for; nothing if it has another form.
std::optional<loop_shape> loop_shape_of(const statement& loop);

/// The statement that is all that a block does, through blocks in blocks.
const statement& only_statement(const statement& block);

/// The shapes of `depth` loops of which each is all that the one around it does, outermost first; fewer if there are
/// fewer.
std::vector<loop_shape> nested_shapes(const statement& loop, std::size_t depth);

/// How many of nested loops have bounds that no loop around them changes, at least one.
std::size_t independent_loops(const std::vector<loop_shape>& shapes);

}  // namespace stretto::cc::acc
