// exchange.hpp - the messages of an all-reduce: after them, every node has the fold of the partial values of all
// contributing nodes.
//
// Threads     pure functions.
// Cost        for a node: O(log contributors) messages, and its share of the messages that send the result to nodes
//             without a partial value.
// Invariants  (1) values are folded in the order of the node numbers, so the operator need not commute. (2) every node
//             folds the same values in the same grouping, so all nodes get the same bits.
// Source      recursive doubling for all-reduce: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication
//             Operations in MPICH", 2005. Here neighbours are paired first if the number is not a power of two, to keep
//             the order.
#pragma once

#include <optional>
#include <vector>

#include "graph/node_set.hpp"

namespace stretto::graph {

/// One step of a node: it sends its present value to all nodes of `to`, then receives the value of `from`.
struct exchange_step {
  enum class fold_order : std::uint8_t {
    before,    // the received value is folded before the local one
    behind,    // the received value is folded behind the local one
    replacing  // the received value replaces the local one
  };
  node_set to;
  std::optional<node_number> from;
  fold_order received = fold_order::behind;
  friend bool operator==(const exchange_step&, const exchange_step&) = default;
};

/// The steps of node `self`. Nodes 0 to contributors - 1 have a value; contributors >= 1.
std::vector<exchange_step> exchange_of(node_number self, node_number contributors, node_number nodes);

}  // namespace stretto::graph
