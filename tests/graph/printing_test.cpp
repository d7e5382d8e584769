// Graphs as they are printed: the files in golden. STRETTO_UPDATE_GOLDEN=1 writes them anew.
#include "graph/printing.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "graph/command_graph.hpp"

using namespace stretto;
using namespace stretto::graph;

namespace {

void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(STRETTO_SOURCE_DIR) + "/tests/graph/golden/" + name;
  if (std::getenv("STRETTO_UPDATE_GOLDEN")) std::ofstream(path) << text;
  std::ifstream file(path);
  std::stringstream expected;
  expected << file.rdbuf();
  CHECK_MESSAGE(text == expected.str(), path);
}

// A program, entered as it is submitted, and the commands of some nodes of its job.
class recorded {
 public:
  recorded(node_number nodes, const horizon_policy& p) : tasks_(p) {
    for (node_number n = 0; n < nodes; ++n) {
      graphs_.push_back(std::make_unique<command_graph>(n, nodes));
      of_nodes.push_back({n, {}});
    }
  }
  buffer_id add(const buffer& b) {
    program.buffers.push_back(b);
    for (auto& g : graphs_) g->add(b);
    return tasks_.add(b);
  }
  void submit(const task& t) {
    enter(tasks_.add(t), t);
    if (auto h = tasks_.add_horizon()) enter(std::move(*h), of_kind(task_kind::horizon));
  }
  void end() { enter(tasks_.add_epoch(), of_kind(task_kind::epoch)); }

  program_record program;
  std::vector<node_record> of_nodes;

 private:
  static task of_kind(task_kind k) { return {.kind = k, .range = {}, .accesses = {}, .reductions = {}, .name = {}}; }
  void enter(ordered_task order, const task& t) {
    for (std::size_t n = 0; n < graphs_.size(); ++n) {
      graphs_[n]->add(order.id, t, of_nodes[n].commands);
      auto unwritten = graphs_[n]->take_unwritten_reads();  // the same on all nodes
      if (n == 0 && !unwritten.empty()) program.unwritten[order.id.number] = std::move(unwritten);
    }
    program.tasks.emplace_back(std::move(order), t);
  }

  task_graph tasks_;
  std::vector<std::unique_ptr<command_graph>> graphs_;
};

task named_task(const char* name, const box& range, std::vector<graph::access> uses) {
  return {.range = range, .accesses = std::move(uses), .reductions = {}, .name = name};
}

// In the manner of the pictures of "Command Horizons": two buffers that change places, each step reading around what it writes.
recorded stencil(node_number nodes, int steps) {
  const box cells(0, 16);
  recorded r(nodes, {.step = 2, .most_parallel = 0});
  const buffer_id u = r.add({.elements = cells, .name = "u"}), v = r.add({.elements = cells, .name = "v"});
  r.submit(named_task("init", cells, {{u, mode::write, mapping::one_to_one(cells)}}));
  for (int i = 0; i < steps; ++i)
    r.submit(named_task("step", cells, {{i % 2 ? v : u, mode::read, mapping::neighborhood(cells, {1})},
                                        {i % 2 ? u : v, mode::write, mapping::one_to_one(cells)}}));
  return r;
}

}  // namespace

TEST_CASE("a task graph with horizons at S = 2 is printed as in the paper, figure 3") {
  const recorded r = stencil(1, 6);
  check_golden("tasks_with_horizons.dot", tasks_as_dot(r.program));
  check_golden("tasks_with_horizons.json", tasks_as_json(r.program));
}

TEST_CASE("the commands of two nodes are printed with their transfers, as in the paper, figure 4") {
  const recorded r = stencil(2, 3);
  check_golden("commands_of_two_nodes.dot", commands_as_dot(r.program, r.of_nodes));
  check_golden("commands_of_two_nodes.json", commands_as_json(r.program, r.of_nodes));
}

TEST_CASE("reductions, fences, epochs and tasks of one node are printed in their own words") {
  const box cells(0, 12);
  recorded r(3, {.step = 0, .most_parallel = 0});
  const buffer_id x = r.add({.elements = cells, .begins = content::alike, .name = "x"}), sum = r.add({.elements = box(0, 1), .name = "a \"sum\""});
  task dot = named_task("dot", cells, {{x, mode::read, mapping::one_to_one(cells)}});
  dot.reductions = {{sum, false}};
  r.submit(dot);
  dot.reductions = {{sum, true}};
  r.submit(dot);
  task one = named_task("store", box(0, 1), {{sum, mode::read_write, mapping::all(box(0, 1))}});
  one.kind = task_kind::one;
  r.submit(one);
  task fence = named_task("", box(0, 1), {{sum, mode::read, mapping::all(box(0, 1))}});
  fence.kind = task_kind::fence;
  r.submit(fence);
  r.end();
  check_golden("kinds_of_tasks.dot", tasks_as_dot(r.program));
  check_golden("kinds_of_commands.dot", commands_as_dot(r.program, r.of_nodes));
  check_golden("kinds_of_commands.json", commands_as_json(r.program, {&r.of_nodes[1], 1}));
}

TEST_CASE("kernels on the host, and reads of what nobody has written, are printed") {
  const box cells(0, 12);
  recorded r(2, {.step = 0, .most_parallel = 0});
  const buffer_id u = r.add({.elements = cells, .name = "u"}), sum = r.add({.elements = box(0, 1), .name = "sum"});
  r.submit(named_task("half", box(0, 6), {{u, mode::write, mapping::one_to_one(cells)}}));
  task dot = named_task("dot", cells, {{u, mode::read, mapping::one_to_one(cells)}});
  dot.by = processors::host;
  dot.reductions = {{sum, true}};
  r.submit(dot);
  check_golden("unwritten_reads.dot", tasks_as_dot(r.program));
  check_golden("unwritten_reads.json", tasks_as_json(r.program));
}
