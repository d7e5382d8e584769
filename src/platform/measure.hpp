// measure.hpp - how fast this machine's memories, caches and cores are for one another, by trying.
//
// Threads     starts threads of its own, at most two at a time, bound to cores of the graph; blocks until done.
// Cost        at most about 200 ms: each figure has a time limit, and those that do not fit stay unknown. 64 MiB.
// Source      load latency by a chain of dependent loads in scattered order; hand-off by two threads that answer one
//             another through one cache line; bandwidth by memcpy. The best of several tries counts: noise only slows.
#pragma once

#include "platform/graph.hpp"

namespace stretto::places {

/// The description of `g` with figures added where they could be measured:
///
///   links along the pop path of worker 0, and all links between the same kinds: latency such that their sum up to a
///       level is the time of a load from it; bandwidth of a copy whose data lives at the outer end
///   host memories: bandwidth of a copy inside them, and links between NUMA nodes (added): copies across
///   caches and memories where cores meet: the time to hand a cache line over
///
///   throws   P17 if no core of the graph is a CPU that this process may run on
platform_description measure(const graph& g);

}  // namespace stretto::places
