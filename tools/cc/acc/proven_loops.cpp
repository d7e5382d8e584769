#include "cc/acc/proven_loops.hpp"

#include <utility>

#include "cc/acc/loop_shape.hpp"

namespace stretto::cc::acc {
namespace {

/// The loop that is all that a loop does; null if there is none without a directive.
const statement* only_loop_in(const statement& loop) {
  const statement& only = only_statement(loop.parts[1]);
  return only.is == statement_form::for_ && !only.directive ? &only : nullptr;
}

}  // namespace

proven_loops prove_loops(const statement& loop, std::size_t limit, const std::vector<const declaration*>& given) {
  const statement* const inside = limit > 1 ? only_loop_in(loop) : nullptr;
  const proven_loops inner = inside ? prove_loops(*inside, limit - 1, given) : proven_loops{};
  if (inner.count > 0) {
    // The last iteration of all loops together sets the temporaries of the innermost one.
    std::vector<const declaration*> known = given;
    for (const scalar_role& one : inner.scalars)
      if (!one.reduction) known.push_back(one.of);
    if (dependence_of(loop, known).obstacle.empty()) return {"", inner.count + 1, inner.scalars};
  }
  loop_verdict verdict = dependence_of(loop, given);
  if (!verdict.obstacle.empty()) return {std::move(verdict.obstacle), 0, {}};
  return {"", 1, std::move(verdict.scalars)};
}

}  // namespace stretto::cc::acc
