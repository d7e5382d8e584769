// Printed task graphs and command graphs, compared with the files in golden.
#include "graph/printing.hpp"

#include <doctest/doctest.h>

#include "graph/recorded_program.hpp"

using namespace stretto;
using namespace stretto::graph;
using stretto::test::check_golden, stretto::test::named_task, stretto::test::recorded, stretto::test::recorded_stencil;

TEST_CASE("a task graph with horizons at S = 2 is printed as in the paper, figure 3") {
  const recorded r = recorded_stencil(1, 6);
  check_golden("tasks_with_horizons.dot", tasks_as_dot(r.program));
  check_golden("tasks_with_horizons.json", tasks_as_json(r.program));
}

TEST_CASE("the commands of two nodes are printed with their transfers, as in the paper, figure 4") {
  const recorded r = recorded_stencil(2, 3);
  check_golden("commands_of_two_nodes.dot", commands_as_dot(r.program, r.of_nodes));
  check_golden("commands_of_two_nodes.json", commands_as_json(r.program, r.of_nodes));
}

TEST_CASE("reductions, fences, epochs and tasks of one node are printed in their own words") {
  const box cells(0, 12);
  recorded r(3, {.step = 0, .most_parallel = 0});
  const buffer_id x = r.add({.elements = cells, .initial = initial_data::replicated, .name = "x"}),
                  sum = r.add({.elements = box(0, 1), .name = "a \"sum\""});
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

TEST_CASE("kernels on the host, and reads of unwritten elements, are printed") {
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

TEST_CASE("side effects are printed with the tasks that name them, one behind the other or side by side") {
  const box cells(0, 12);
  recorded r(2, {.step = 2, .most_parallel = 0});
  const buffer_id u = r.add({.elements = cells, .initial = initial_data::replicated, .name = "u"});
  task t = named_task("note", cells, {{u, mode::read, mapping::one_to_one(cells)}});
  t.by = processors::host;
  t.pieces = 2;
  for (const bool is_affected : {true, false, false, true}) {
    t.effects = {{0, is_affected, "log"}};
    r.submit(t);
  }
  check_golden("effects_tasks.dot", tasks_as_dot(r.program));
  check_golden("effects_tasks.json", tasks_as_json(r.program));
  check_golden("effects_commands.dot", commands_as_dot(r.program, r.of_nodes));
  check_golden("effects_instructions.dot", instructions_as_dot(r.program, r.of_nodes));
}

TEST_CASE("collective tasks are printed with their groups, one behind the other") {
  const box cells(0, 12);
  recorded r(2, {.step = 0, .most_parallel = 0});
  const buffer_id u = r.add({.elements = cells, .initial = initial_data::replicated, .name = "u"});
  task t = named_task("exchange", box(0, 2), {{u, mode::read, mapping::even_split(cells)}});
  t.kind = task_kind::collective;
  t.by = processors::host;
  for (const std::uint32_t group : {0u, 1u, 0u}) {
    t.group = group;
    r.submit(t);
  }
  check_golden("collective_tasks.dot", tasks_as_dot(r.program));
  check_golden("collective_tasks.json", tasks_as_json(r.program));
  check_golden("collective_commands.dot", commands_as_dot(r.program, r.of_nodes));
  check_golden("collective_instructions.dot", instructions_as_dot(r.program, r.of_nodes));
}
