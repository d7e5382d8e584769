// measure.hpp - measures latencies and bandwidths between the cores, caches and memories of this machine.
//
// Threads     starts threads of its own, at most two at a time, bound to cores of the graph; blocks until done.
// Cost        about 200 ms at most, and 64 MiB. Each figure has a time limit; a figure for which no time is left stays
//             unknown.
// Source      latency: a chain of dependent loads in scattered order. Transfer of a cache line: ping-pong of two
//             threads. Bandwidth: memcpy. The best of several tries counts, since noise only slows.
#pragma once

#include "platform/graph.hpp"

namespace stretto::places {

/// The description of `g` with figures added where they could be measured:
///
///   links from the first core outwards, and all links between the same kinds of places: the latencies up to a level
///       add up to the time of a load from that level; the bandwidth is that of a copy of data at the outer end
///   host memories: the bandwidth of a copy within them
///   links between NUMA nodes, which it adds: latency and bandwidth from one node to the other
///   caches and memories that cores share: the latency with which a cache line moves from one core to another
///
///   throws   P17 if no core of the graph is a CPU that this process may run on
platform_description measure(const graph& g);

}  // namespace stretto::places
