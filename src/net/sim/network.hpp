// network.hpp - a simulated network of any number of nodes within one process: delays from a seed, a cost model, links
// that are cut and nodes that fail.
//
// Time is virtual: nothing arrives before its time, and when everything that is due has arrived, the clock advances to
// the next arrival. Messages of one pair of nodes stay in order; the seed decides the order between pairs.
//
// Threads     any; one lock over everything. Each node's poll: one thread at a time, as transport.hpp says.
// Invariants  (1) with one thread that polls the nodes in an order of its own, a seed repeats everything exactly.
//             (2) the clock never passes an arrival at a live node.
#pragma once

#include <memory>

#include "net/sim/settings.hpp"
#include "net/transport.hpp"

namespace stretto::net::sim {

class network {
 public:
  /// All transports share the network and keep it alive.
  static std::shared_ptr<network> make(const settings& s);
  virtual ~network() = default;

  /// Makes the transport of one node; once per node.
  virtual std::unique_ptr<transport> join(node_number node, handlers& all) = 0;

  /// Disconnects two nodes: everything in transfer between them fails with N05, on both sides.
  virtual void cut(node_number one, node_number other) = 0;
  /// Cuts every link of `node`.
  virtual void kill(node_number node) = 0;

  virtual double seconds() const noexcept = 0;
};

}  // namespace stretto::net::sim
