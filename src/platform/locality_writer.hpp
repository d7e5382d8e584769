// locality_writer.hpp - writes a platform as a locality graph file, from which read_locality_graph makes an equal one.
//
// Threads     pure.
// Cost        linear in places, links and path entries.
#pragma once

#include <string>

#include "platform/graph.hpp"

namespace stretto::places {

/// The text of the file, with a newline at its end. A place or link without properties is written in the public format,
/// any other as an object. If the pop paths follow a pattern, they become one default path with expressions. A steal
/// path that equals the result of nearest_first is written as "nearest", because it names all places of the host.
std::string locality_graph_of(const graph& g);

}  // namespace stretto::places
