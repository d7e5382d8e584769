// network.hpp - a network of any number of nodes within one process: delays from a seed, a cost model, links that are cut and
// nodes that die.
//
// Time is counted, not measured: nothing comes before its time, and where all that is due has come, the clock goes on to the
// next. Messages of one pair stay in order; between pairs, the seed decides who is late.
//
// Threads     any; one lock over everything. Each node's poll: one thread at a time, as transport.hpp says.
// Invariants  (1) with one thread that polls the nodes in an order of its own, a seed repeats everything exactly.
//             (2) the clock never passes something that is due to a node which lives.
#pragma once

#include <memory>

#include "net/sim/settings.hpp"
#include "net/transport.hpp"

namespace stretto::net::sim {

class network {
 public:
  /// All transports share it and keep it alive.
  static std::shared_ptr<network> make(const settings& s);
  virtual ~network() = default;

  /// The transport of one node, each once.
  virtual std::unique_ptr<transport> join(node_number node, handlers& all) = 0;

  /// Neither hears of the other again: what is under way between them fails with N05, on both sides.
  virtual void cut(node_number one, node_number other) = 0;
  /// Cuts every link of `node`.
  virtual void kill(node_number node) = 0;

  virtual double seconds() const noexcept = 0;
};

}  // namespace stretto::net::sim
