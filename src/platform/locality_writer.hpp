// locality_writer.hpp - a platform as a locality graph file: what read_locality_graph reads back as the same platform.
//
// Threads     pure.
// Cost        linear in places, links and path entries.
#pragma once

#include <string>

#include "platform/graph.hpp"

namespace stretto::places {

/// The file, ending in a newline. A place or link without properties is written as the public format has it, else
/// as an object. Regular paths become one default with expressions; a steal path by the rule of nearest_first is
/// written as "nearest", since it names every place of the host.
std::string locality_graph_of(const graph& g);

}  // namespace stretto::places
