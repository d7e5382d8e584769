// merged_snapshot.hpp - merges the wait graphs of several nodes into one, so that chains of waiting are followed across
// nodes.
//
// Graph nodes with the same name on all nodes of the job (wait_node::everywhere) become one. It waits for what any of
// them waits for, and takes its description from the node that knows most.
//
// Threads     pure.
// Cost        linear in nodes and edges, and a lookup for each name.
#pragma once

#include <span>

#include "base/wait_snapshot.hpp"

namespace stretto::diagnose {

/// Of one snapshot: the same one with equal names merged. Of several: the result names the job node of everything that
/// waits or runs, and is not proven by itself.
base::wait_snapshot merge_snapshots(std::span<const base::wait_snapshot> of_nodes);

}  // namespace stretto::diagnose
