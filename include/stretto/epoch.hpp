// epoch.hpp - epochs and horizons: synchronisation points of the operations on buffers.
//
//     STRETTO_KERNEL(twice, (inout<float> u), { u(global_id(0)) *= 2; })
//
//     double seconds_of(const buffer<float>& u, int launches) {
//       wait(epoch(all_nodes));  // all nodes have done everything so far
//       const auto begin = std::chrono::steady_clock::now();
//       for (int i = 0; i < launches; ++i) launch(twice, u.elements(), u(one_to_one));
//       wait(epoch());  // this node has computed its part
//       return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
//     }
//
// Threads     as of buffers: from one task at a time, on every node in the same order.
#pragma once

#include <stretto/event.hpp>

#include <cstdint>
#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

/// The conditions for a new horizon. A horizon follows all launches before it and delays none of them. The runtime
/// merges its records of launches before the last but one horizon into one record; this bounds memory and the cost of
/// launches.
struct horizon_settings {
  std::uint64_t step = 4;             // growth of the longest chain of launches since the last horizon; 0: no limit
  std::uint64_t most_parallel = 256;  // launches without a successor; at least 2, or 0: no limit
};
/// Sets the conditions for horizons from this point of the program on, which must be the same on every node. If both
/// are 0, memory grows with the number of launches.
///
///   throws   B20; B16 if most_parallel is 1, because a horizon would follow each launch
void set_horizons(const horizon_settings& settings, std::source_location where = std::source_location::current());

/// Makes all later operations on buffers of each node follow all earlier ones of that node. Every node calls it at the
/// same point of the program: before it reads a clock, for example, or before another library uses the devices.
///
///   returns  an event of this node that triggers when its part of all earlier operations on buffers is done. Poisoned
///            if one of them has failed
///   throws   B20 on a thread of no runtime
///
/// The runtime forgets its records of earlier operations. A program needs no epoch for its results: reads wait for the
/// launches that write their elements.
event epoch(std::source_location where = std::source_location::current());

/// The type of all_nodes.
struct all_nodes_tag {};
/// The tag of an epoch of all nodes.
inline constexpr all_nodes_tag all_nodes{};
/// An epoch of all nodes at once: a barrier.
///
///   returns  an event of this node that triggers when all earlier operations on buffers are done on every node.
///            Poisoned if one of them has failed
///   throws   B20 on a thread of no runtime
///   cost     that of epoch(), and the messages of a reduction of one element
event epoch(all_nodes_tag, std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
