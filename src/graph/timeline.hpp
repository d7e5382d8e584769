// timeline.hpp - when the instructions of some nodes would begin and end, by a model of what each costs.
//
// Threads     functions of values.
// Cost        predict: O(n log n) for n instructions and what they follow.
// Invariants  (1) nothing begins before what it follows has ended. (2) a lane does one thing at a time, in the order in which they could
//             begin. (3) the makespan is at least the work of every lane, and every chain of what follows one another.
// Source      list scheduling: Graham, "Bounds on Multiprocessing Timing Anomalies".
//
// Lanes of a node: a queue for each processor, a copy engine for each memory (copies between two take that of the device they go to, or come
// from), and a link each for what is sent and what is received. Allocations, horizons and the like take no time. Nothing of a task begins before
// the program has asked for it: tasks become known at a steady rate. What is received has come a
// latency after it was sent, and not faster than the link. What a node that is not looked at sends is taken to be sent when this node sends
// its own part for the same task, as an identical node would; and at once where this node sends none.
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

/// Times in seconds, rates in one thing per second.
struct cost_model {
  double task = 2e-6;              // until it is known what the nodes do of one, one after the other
  double launch = 5e-6;            // until a kernel, a host task or a fold begins
  double items = 1e9;              // that one processor computes
  std::map<std::string, double, std::less<>> items_of = {};  // of launches of that name, where it is not as many
  double copy_latency = 5e-6;
  double copy_bytes = 1e10;
  double message_latency = 2e-6;
  double message_bytes = 1e10;
};

/// "items=2e9,items.smooth=1e8,launch=1e-6", the rest as above.
///
///   throws   B19 for a name that is none of cost_model's, or a value that is no number: rates above 0, times from 0 on
cost_model costs_of(std::string_view list);

struct time_span {
  double begin = 0, end = 0;     // seconds
  std::int32_t lane = -1;        // of its node; -1: it takes none
};

struct timeline {
  struct of_node {
    std::vector<std::string> lanes;     // their names
    std::vector<time_span> spans;    // by instruction, as recorded
  };
  std::vector<of_node> nodes;
  double seconds = 0;  // until all has ended
};

timeline predict(const program_record& program, std::span<const node_record> nodes, const cost_model& costs);

/// For Perfetto and chrome://tracing: a process for each node, a thread for each lane.
std::string timeline_as_json(const program_record& program, std::span<const node_record> nodes, const timeline& when);
/// How long it would take, what is sent, and what is busy, for programs: {"predicted_seconds": ..., "tasks": ..., "nodes": [...],
/// "busiest": [...]}. `found_in`: seconds that it took to find what one node does of a task.
std::string prediction_as_json(const program_record& program, std::span<const node_record> nodes, const timeline& when, double seconds_per_task);
/// "1.25 ms on 2 nodes; busiest: D0 of N1 80 %, receives of N0 12 %".
std::string summary_of(const timeline& when, std::span<const node_record> nodes);

}  // namespace stretto::graph
