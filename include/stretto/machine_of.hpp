// machine_of.hpp - what another node of the job has: its places, memories and devices.
//
//     const platform there = machine_of(at_node(2)).get();
//     for (const place memory : there.places(place_kind::gpu_memory))   // each of its GPUs
//       instance<float>::create(at_node(2), at(memory), box(0, n));
//
// Threads     any of the runtime.
// Cost        two messages and a task on that node, about 100 bytes a place. The machine of a node does not change:
//             keep what you got.
// Invariants  (1) equal to what this_machine() is there, with all that was measured or said of it; its places are
//             numbered as there, and mean something only beside at_node of that node.
#pragma once

#include <stretto/future.hpp>
#include <stretto/platform.hpp>
#include <stretto/task.hpp>

#include <source_location>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// The machine of that node, this one included.
///
///   throws   B20 on a thread of no runtime; N02 if there is no such node. N05 poisons the future if the node is lost
future<platform> machine_of(at_node node, std::source_location where = std::source_location::current());

/// The machines of all nodes of the job at once: element n is that of node n.
///
///     const auto machines = machines_of_job().get();
///     for (std::uint32_t n = 0; n < machines.size(); ++n)
///       for (const place memory : machines[n].places(place_kind::gpu_memory))   // each GPU of the job
///         instance<float>::create(at_node(n), at(memory), box(0, size));
///
///   throws   B20; N05 poisons the future if a node is lost
///   cost     as many as machine_of, side by side
future<std::vector<platform>> machines_of_job(std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
