// recorded_program.hpp - records a program and the work of some nodes of its job; compares printed graphs with golden
// files.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "graph/command_graph.hpp"
#include "graph/instruction_graph.hpp"
#include "graph/printing.hpp"

namespace stretto::test {

/// Compares with a file in golden. STRETTO_UPDATE_GOLDEN=1 rewrites it.
inline void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(STRETTO_SOURCE_DIR) + "/tests/graph/golden/" + name;
  if (std::getenv("STRETTO_UPDATE_GOLDEN")) std::ofstream(path) << text;
  std::ifstream file(path);
  std::stringstream expected;
  expected << file.rdbuf();
  CHECK_MESSAGE(text == expected.str(), path);
}

class recorded {
 public:
  recorded(graph::node_number nodes, const graph::horizon_policy& p, const graph::node_shape& shape = {}) : tasks_(p) {
    for (graph::node_number n = 0; n < nodes; ++n) {
      graphs_.push_back(std::make_unique<of_node>(n, nodes, shape));
      of_nodes.push_back({.node = n, .shape = shape});
    }
  }
  graph::buffer_id add(const graph::buffer& b, std::uint32_t element_bytes = 4) {
    program.buffers.push_back(b);
    program.element_bytes.push_back(element_bytes);
    for (std::size_t n = 0; n < graphs_.size(); ++n) {
      graphs_[n]->commands.add(b);
      graphs_[n]->instructions.add(b, of_nodes[n].instructions);
    }
    return tasks_.add(b);
  }
  void submit(const graph::task& t) {
    enter(tasks_.add(t), t);
    if (auto h = tasks_.add_horizon()) enter(std::move(*h), of_kind(graph::task_kind::horizon));
  }
  void remove(graph::buffer_id b) {
    tasks_.remove(b);
    for (std::size_t n = 0; n < graphs_.size(); ++n) {
      graphs_[n]->commands.remove(b);
      graphs_[n]->instructions.remove(b, of_nodes[n].instructions);
    }
  }
  void end() { enter(tasks_.add_epoch(), of_kind(graph::task_kind::epoch)); }

  graph::program_record program;
  std::vector<graph::node_record> of_nodes;

 private:
  struct of_node {
    of_node(graph::node_number n, graph::node_number nodes, const graph::node_shape& shape)
        : commands(n, nodes), instructions(shape) {}
    graph::command_graph commands;
    graph::instruction_graph instructions;
  };
  static graph::task of_kind(graph::task_kind k) {
    return {.kind = k, .range = {}, .accesses = {}, .reductions = {}, .name = {}};
  }
  void enter(graph::ordered_task order, const graph::task& t) {
    for (std::size_t n = 0; n < graphs_.size(); ++n) {
      std::vector<graph::command> made;
      graphs_[n]->commands.add(order.id, t, made);
      auto unwritten = graphs_[n]->commands.take_unwritten_reads();  // the same on all nodes
      if (n == 0 && !unwritten.empty()) program.unwritten[order.id.number] = std::move(unwritten);
      graphs_[n]->instructions.add(order.id, t, made, of_nodes[n].instructions);
      auto& commands = of_nodes[n].commands;
      commands.insert(commands.end(), made.begin(), made.end());
    }
    program.tasks.emplace_back(std::move(order), t);
  }

  graph::task_graph tasks_;
  std::vector<std::unique_ptr<of_node>> graphs_;
};

inline graph::task named_task(const char* name, const box& range, std::vector<graph::access> uses) {
  return {.range = range, .accesses = std::move(uses), .reductions = {}, .name = name};
}

/// As in the figures of "Command Horizons": two buffers that are swapped, each step reading a border around what it
/// writes.
inline recorded recorded_stencil(graph::node_number nodes, int steps, const graph::node_shape& shape = {}) {
  const box cells(0, 16);
  recorded r(nodes, {.step = 2, .most_parallel = 0}, shape);
  const graph::buffer_id u = r.add({.elements = cells, .name = "u"}), v = r.add({.elements = cells, .name = "v"});
  r.submit(named_task("init", cells, {{u, graph::mode::write, graph::mapping::one_to_one(cells)}}));
  for (int i = 0; i < steps; ++i)
    r.submit(named_task("step", cells,
                        {{i % 2 ? v : u, graph::mode::read, graph::mapping::neighborhood(cells, {1})},
                         {i % 2 ? u : v, graph::mode::write, graph::mapping::one_to_one(cells)}}));
  return r;
}

/// As RSim in the papers: each step reads all rows written before, and appends one.
inline recorded recorded_generative(graph::node_number nodes, int steps, const graph::node_shape& shape = {}) {
  const box rows({0, 0}, {steps, 8});
  recorded r(nodes, {.step = 0, .most_parallel = 0}, shape);
  const graph::buffer_id u = r.add({.elements = rows, .initial = graph::initial_data::none, .name = "rows"});
  for (int i = 0; i < steps; ++i) {
    const box row({i, 0}, {i + 1, 8});
    std::vector<graph::access> uses;
    if (i > 0) uses.push_back({u, graph::mode::read, graph::mapping::fixed(rows, box({0, 0}, {i, 8}))});
    uses.push_back({u, graph::mode::write, graph::mapping::one_to_one(rows)});
    graph::task t = named_task("append", row, std::move(uses));
    t.how = graph::cut::along_rows;
    r.submit(t);
  }
  return r;
}

}  // namespace stretto::test
