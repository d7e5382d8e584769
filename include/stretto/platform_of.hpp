// platform_of.hpp - the platforms of other nodes of the job: their places, memories and devices.
//
//     std::vector<instance<float>> one_instance_per_gpu(coordinate size) {
//       std::vector<instance<float>> all;
//       const auto machines = machines_of_job().get();
//       for (std::uint32_t n = 0; n < machines.size(); ++n)
//         for (const place memory : machines[n].places(place_kind::gpu_memory))
//           all.push_back(instance<float>::create(at_node(n), at(memory), box(0, size)).made);
//       return all;
//     }
//
// Threads     any thread of the runtime.
// Cost        two messages and a task on that node, about 100 bytes per place. The platform of a node does not change:
//             keep the result.
// Invariants  the result equals this_machine() on that node, measurements included. Its places are valid only together
//             with at_node of that node.
#pragma once

#include <stretto/future.hpp>
#include <stretto/platform.hpp>
#include <stretto/task.hpp>

#include <source_location>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// The platform of a node, which may be this one.
///
///   throws   B20 on a thread of no runtime; N02 if there is no such node. N05 poisons the future if the node has
///            failed
future<platform> platform_of(at_node node, std::source_location where = std::source_location::current());

/// The platforms of all nodes of the job: element n is that of node n.
///
///   throws   B20; N05 poisons the future if a node has failed
///   cost     one platform_of per node, all at the same time
future<std::vector<platform>> machines_of_job(std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
