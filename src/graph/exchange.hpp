// exchange.hpp - how all nodes of a job come to have what the partial values of some of them fold to.
//
// Threads     functions of values.
// Cost        of a node: O(log contributors) messages; and those to nodes without a partial value, which are shared out evenly.
// Invariants  (1) values are folded in the order of the nodes' numbers, so the operator need not commute. (2) every node folds the
//             same values in the same grouping, so that the result is alike everywhere, to the last bit.
// Source      recursive doubling for all-reduce: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
//             MPICH", 2005; here with neighbours paired first where the number is no power of two, so that the order is kept.
#pragma once

#include <optional>
#include <vector>

#include "graph/node_set.hpp"

namespace stretto::graph {

/// First what the node has goes to others, then another's value comes.
struct exchange_step {
  enum class fold_order : std::uint8_t {
    before,    // what came is folded before what is here
    behind,    // behind it
    replacing  // it is all
  };
  node_set to;
  std::optional<node_number> from;
  fold_order received = fold_order::behind;
  friend bool operator==(const exchange_step&, const exchange_step&) = default;
};

/// Of node `self` of `nodes`, of which 0 to contributors - 1 have a value; contributors >= 1.
std::vector<exchange_step> exchange_of(node_number self, node_number contributors, node_number nodes);

}  // namespace stretto::graph
