// timeline.hpp - predicts when the instructions of some nodes begin and end, from a cost model.
//
// Threads     pure functions.
// Cost        predict: O(n log n) for n instructions and their dependencies.
// Invariants  (1) no instruction begins before its predecessors have ended. (2) a lane runs one instruction at a time,
//             in the order in which they become ready. (3) the makespan is at least the work of every lane and the
//             length of every dependency chain.
// Source      list scheduling: Graham, "Bounds on Multiprocessing Timing Anomalies".
//
// Lanes of a node: a queue for each processor, a copy engine for each memory, and one link each for sends and receives.
// A copy between two memories takes the engine of the target device, or else of the source device. Allocations and
// horizons take no time. Tasks become known at a steady rate, and no instruction begins before its task is known.
// Received elements arrive one latency after the send, and not faster than the link. Nodes that are not recorded are
// assumed to behave like this node: they send their part for a task when this node sends its own, or at once if it
// sends none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/printing.hpp"

namespace stretto::graph {

/// Times in seconds, rates per second.
struct cost_model {
  double task = 2e-6;    // to generate the work of one task; tasks are generated one after the other
  double launch = 5e-6;  // until a kernel, a host task or a fold begins
  double items = 1e9;    // items that one processor computes
  std::map<std::string, double, std::less<>> items_of = {};  // by name of the launch, if different
  double copy_latency = 5e-6;
  double copy_bytes = 1e10;
  double message_latency = 2e-6;
  double message_bytes = 1e10;
};

/// Parses "items=2e9,items.smooth=1e8,launch=1e-6"; all other costs keep their defaults.
///
///   throws   B19 for an unknown name or an invalid value: rates must be above 0, times at least 0
cost_model costs_of(std::string_view list);

struct time_span {
  double begin = 0, end = 0;  // seconds
  std::int32_t lane = -1;     // lane of its node; -1: none
};

struct timeline {
  struct of_node {
    std::vector<std::string> lanes;  // names of the lanes
    std::vector<time_span> spans;    // by instruction, in recorded order
  };
  std::vector<of_node> nodes;
  double seconds = 0;  // makespan
};

timeline predict(const program_record& program, std::span<const node_record> nodes, const cost_model& costs);

/// For Perfetto and chrome://tracing: a process for each node, a thread for each lane.
std::string timeline_as_json(const program_record& program, std::span<const node_record> nodes, const timeline& when);
/// The prediction for programs: {"predicted_seconds": ..., "tasks": ..., "nodes": [...], "busiest": [...]}.
/// `seconds_per_task`: the measured time to generate one task of one node.
std::string prediction_as_json(const program_record& program, std::span<const node_record> nodes, const timeline& when,
                               double seconds_per_task);
/// "1.25 ms on 2 nodes; busiest: D0 of N1 80 %, receives of N0 12 %".
std::string summary_of(const timeline& when, std::span<const node_record> nodes);

}  // namespace stretto::graph
