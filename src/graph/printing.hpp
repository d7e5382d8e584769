// printing.hpp - task graphs, command graphs and instruction graphs as text: for Graphviz, and as JSON for programs.
//
// Threads     functions of values.
// Invariants  the same graph gives the same text: nothing but what the program said and the numbers of its tasks is in it.
//
// What is made is entered into a record, with the tasks as the program said them; the graphs keep no text.
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

/// What a program has submitted. Horizons and epochs are tasks of that kind; the first epoch, T0, is not entered.
struct program_record {
  std::vector<buffer> buffers;                        // by id
  std::vector<std::pair<ordered_task, task>> tasks;   // by number, from T1 on
  std::map<std::uint64_t, std::vector<unwritten_read>> unwritten;  // by number of the task that reads it
  std::vector<std::uint32_t> element_bytes;           // by id of buffer; empty where nobody said
  bool is_truncated = false;                               // behind the last task, with more than is kept

  const task* find(task_id id) const { return id.number == 0 || id.number > tasks.size() ? nullptr : &tasks[id.number - 1].second; }
};

/// The commands of one node, from C1 on, or its instructions, from I1 on.
struct node_record {
  node_number node = 0;
  std::vector<command> commands = {};
  node_shape shape = {};
  std::vector<instruction> instructions = {};
};

std::string tasks_as_dot(const program_record& program);
std::string tasks_as_json(const program_record& program);

/// With several nodes, also which push an await push waits for.
std::string commands_as_dot(const program_record& program, std::span<const node_record> nodes);
std::string commands_as_json(const program_record& program, std::span<const node_record> nodes);

/// With several nodes, also which send a receive waits for.
std::string instructions_as_dot(const program_record& program, std::span<const node_record> nodes);
std::string instructions_as_json(const program_record& program, std::span<const node_record> nodes);

}  // namespace stretto::graph
