// drawing.hpp - a platform as a text tree and as a Graphviz graph.
//
// Threads     pure.
// Cost        linear in places and links.
#pragma once

#include <string>

#include "platform/graph.hpp"

namespace stretto::places {

/// One line per place: memory at the root, processors as leaves, then links that the tree does not show.
///
///     sysmem       system_memory, 16 GiB
///     └─ L3_0      l3, 32 MiB
///        ├─ core_0 core, cpus 0; worker 0
std::string text_tree(const graph& g);

/// The graph in Graphviz's language; places by kind in colour, links with their figures.
std::string graphviz_text(const graph& g);

}  // namespace stretto::places
