// merged_snapshot.hpp - what waits on several nodes as one snapshot, so that chains of waiting are followed from node to node.
//
// Things that nodes call alike (wait_node::everywhere) are one thing then: it waits for what any of them says, and is described by who
// knows most of it.
//
// Threads     pure.
// Cost        linear in nodes and links, and a look-up for each name.
#pragma once

#include <span>

#include "base/wait_snapshot.hpp"

namespace stretto::diagnose {

/// Of one: the same, with what has one name put together. Of several: nothing is proven by that alone, and who waits or works is told
/// with its node.
base::wait_snapshot merge_snapshots(std::span<const base::wait_snapshot> of_nodes);

}  // namespace stretto::diagnose
