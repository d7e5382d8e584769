// weights.hpp - the share of a launch on buffers that each node and each device computes.
//
//     void weigh() {
//       set_weights({.nodes = {1, 1, 2}});  // of three nodes, node 2 computes half of each launch
//       set_weights({.devices = {3, 1}});   // of this node's share, the first device computes three quarters
//       set_weights({});                    // equal shares, or as measured (option weights)
//     }
//
// Threads     as of buffers: from one task at a time, on every node in the same order.
#pragma once

#include <stretto/compiler.hpp>

#include <source_location>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// The shares of nodes, and of the devices of this node, in a launch. They hold for splits into rows; tiles have equal
/// sizes.
struct weight_settings {
  /// One weight per node, equal on all nodes. Empty: equal shares, or as measured (option weights).
  std::vector<double> nodes = {};
  /// One weight per device of this node. With one more weight, the host computes that share. Empty: as for nodes.
  std::vector<double> devices = {};
};
/// Sets the shares from this point of the program on, which must be the same on every node. Results do not change. A
/// list holds until a later call leaves it out; then equal or measured shares return. Later launches move the elements
/// that they need on other nodes or devices than before.
///
///   throws   B20; B22 if the number of weights is not that of nodes or devices, or a weight is not above 0
void set_weights(const weight_settings& settings, std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
