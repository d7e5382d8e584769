// printing.hpp - writes task graphs, command graphs and instruction graphs for Graphviz and as JSON.
//
// Threads     pure functions.
// Invariants  equal graphs give equal texts: a text depends only on the program and the numbers of its tasks.
//
// A record holds what was generated, with the tasks as the program submitted them. The graphs themselves keep no text.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/command.hpp"
#include "graph/instruction.hpp"
#include "graph/node_shape.hpp"
#include "graph/task.hpp"
#include "graph/task_graph.hpp"

namespace stretto::graph {

/// The tasks that a program has submitted, horizons and epochs included. The initial epoch, T0, is not recorded.
struct program_record {
  std::vector<buffer> buffers;                                     // by id
  std::vector<std::pair<ordered_task, task>> tasks;                // by number, from T1 on
  std::map<std::uint64_t, std::vector<unwritten_read>> unwritten;  // by task number
  std::vector<std::uint32_t> element_bytes;                        // by buffer id; empty if not known
  bool is_truncated = false;                                       // the program submitted more tasks than are recorded

  const task* find(task_id id) const {
    return id.number == 0 || id.number > tasks.size() ? nullptr : &tasks[id.number - 1].second;
  }
};

/// The commands of one node from C1 on, or its instructions from I1 on.
struct node_record {
  node_number node = 0;
  std::vector<command> commands = {};
  node_shape shape = {};
  std::vector<instruction> instructions = {};
};

std::string tasks_as_dot(const program_record& program);
std::string tasks_as_json(const program_record& program);

/// With several nodes, also connects each await push to its push.
std::string commands_as_dot(const program_record& program, std::span<const node_record> nodes);
std::string commands_as_json(const program_record& program, std::span<const node_record> nodes);

/// With several nodes, also connects each receive to its send.
std::string instructions_as_dot(const program_record& program, std::span<const node_record> nodes);
std::string instructions_as_json(const program_record& program, std::span<const node_record> nodes);

}  // namespace stretto::graph
