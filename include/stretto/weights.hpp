// weights.hpp - how much of a launch on buffers each node and each device computes.
//
//     set_weights({.nodes = {1, 1, 2}});              // node 2 gets half of each launch
//     set_weights({.devices = {3, 1}});               // of this node's part the first device gets three quarters
//     set_weights({});                                // all alike, or as measured (option weights)
//
// Threads     as of buffers: from one task at a time, on every node in the same order.
#pragma once

#include <stretto/compiler.hpp>

#include <source_location>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// How much of a launch nodes, and devices of this node, get. Rows are cut so; tiles are cut alike.
struct weight_settings {
  std::vector<double> nodes =
      {};  // one for each node, the same on all of them; none: all alike, or as measured (option weights)
  std::vector<double> devices =
      {};  // likewise for each device of this node; with one more, which is the host's, the host computes beside them
};
/// From this point of the program on, which has to be the same on every node; what a launch computes stays the same. A
/// list that is given stays: its level is measured again when a later call leaves it out. Elements move as launches
/// need them elsewhere than before.
///
///     set_weights({.nodes = {1, 1, 2}});  // node 2 gets half of each launch
///
///   throws   B22 where there are more or fewer weights than nodes or devices, or one is not above 0
void set_weights(const weight_settings& settings, std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
