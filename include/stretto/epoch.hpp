// epoch.hpp - points of the program that everything later on buffers follows.
//
//     for (int s = 0; s < steps; ++s) launch(jacobi, inside, u(star(1)), v(one_to_one), 0.1f), swap(u, v);
//     wait(epoch());                                  // this node has computed its part
//     wait(epoch(all_nodes));                         // all nodes have
//
// Threads     as of buffers: from one task at a time, on every node in the same order.
#pragma once

#include <stretto/event.hpp>

#include <cstdint>
#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

/// When a horizon is made: what is older than the one before it is remembered as one thing, which bounds memory and the
/// cost of launches. Each follows all launches before it and holds none of them up.
struct horizon_settings {
  std::uint64_t step = 4;  // the longest chain of launches has grown by so many since the last; 0: never for that
  std::uint64_t most_parallel = 256;  // so many launches that none follows yet; at least 2, or 0: never for that
};
/// From this point of the program on, which has to be the same on every node. Where both are 0 memory grows with the
/// program, and nothing bounds how far it is ahead of its launches.
///
///   throws   B16 where most_parallel is 1: each launch would be followed by a horizon
void set_horizons(const horizon_settings& settings, std::source_location where = std::source_location::current());

/// A point of the program that everything later on buffers follows, on each node by itself; all nodes say it in the
/// same place. To wait for all at once, before time is taken or a library uses what buffers would:
///
///     wait(epoch());
///
///   returns  an event of this node: all that was asked of buffers before has been done here. Poisoned if some of it
///            has failed
///
/// Nothing older is remembered from then on. A program that goes on needs none: reads wait for what they read, and
/// horizons hold nothing up.
event epoch(std::source_location where = std::source_location::current());

/// The same for all nodes at once: a barrier.
///
///     wait(epoch(all_nodes));
///
///   returns  an event of this node: all that was asked of buffers before has been done on every node. Poisoned if
///            some of it has failed
///   cost     epoch(), and messages as for a reduction of one element
struct all_nodes_tag {};
inline constexpr all_nodes_tag all_nodes{};
event epoch(all_nodes_tag, std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
