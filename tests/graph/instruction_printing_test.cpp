// Printed instruction graphs, compared with the files in golden.
#include "graph/instruction_labels.hpp"
#include "graph/printing.hpp"
#include "graph/work_counts.hpp"

#include <doctest/doctest.h>

#include "graph/recorded_program.hpp"

using namespace stretto;
using namespace stretto::graph;
using stretto::test::check_golden, stretto::test::named_task, stretto::test::recorded,
    stretto::test::recorded_generative, stretto::test::recorded_stencil;

TEST_CASE("the instructions of two nodes of one device each are printed with the messages between them") {
  const recorded r = recorded_stencil(2, 3, {.devices = {1}});
  check_golden("instructions_of_two_nodes.dot", instructions_as_dot(r.program, r.of_nodes));
  check_golden("instructions_of_two_nodes.json", instructions_as_json(r.program, r.of_nodes));
}

TEST_CASE("copies between devices, and allocations that grow, are printed") {
  const recorded r = recorded_generative(2, 3, {.devices = {1, 2}});
  check_golden("instructions_of_a_generative_program.dot", instructions_as_dot(r.program, r.of_nodes));
}

TEST_CASE("every kind of instruction is printed in its own words") {
  const box cells(0, 12);
  recorded r(3, {.step = 3, .most_parallel = 0}, {.devices = {1, 2}});
  const buffer_id x = r.add({.elements = cells, .initial = initial_data::replicated, .name = "x"}),
                  sum = r.add({.elements = box(0, 1), .name = "a \"sum\""});
  task dot = named_task("dot", cells, {{x, mode::read, mapping::one_to_one(cells)}});
  dot.reductions = {{sum, false}};
  r.submit(dot);
  task turned = named_task("mirror", cells, {{x, mode::read_write, mapping::one_to_one(cells)}});
  turned.by = processors::host;
  r.submit(turned);
  // Node 1 needs parts of both others, which arrive separately.
  task around =
      named_task("around", cells,
                 {{x, mode::read, mapping::neighborhood(cells, {1})}, {sum, mode::read, mapping::all(box(0, 1))}});
  r.submit(around);
  r.remove(x);
  r.end();
  std::map<std::string_view, std::uint64_t> kinds;
  for (const node_record& n : r.of_nodes)
    for (const instruction& i : n.instructions) ++kinds[kind_of(i)];
  CHECK(kinds.size() == std::variant_size_v<decltype(instruction::what)>);
  check_golden("kinds_of_instructions.dot", instructions_as_dot(r.program, {&r.of_nodes[1], 1}));
  check_golden("kinds_of_instructions.json", instructions_as_json(r.program, {&r.of_nodes[1], 1}));
}

TEST_CASE("a truncated graph names the task after which the program continues") {
  recorded r = recorded_stencil(1, 1);
  r.program.is_truncated = true;
  const std::string said = "  label=\"the program goes on behind T3\";\n}\n";
  CHECK(tasks_as_dot(r.program).ends_with(said));
  CHECK(commands_as_dot(r.program, r.of_nodes).ends_with(said));
  CHECK(instructions_as_dot(r.program, r.of_nodes).ends_with(said));
  for (const std::string& text :
       {tasks_as_json(r.program), commands_as_json(r.program, r.of_nodes), instructions_as_json(r.program, r.of_nodes)})
    CHECK(text.ends_with(" \"goes_on_behind\": \"T3\"\n}\n"));
}

TEST_CASE("the work of nodes is counted by kind, and so are the bytes sent and received") {
  const recorded r = recorded_stencil(3, 4, {.devices = {1}});
  work_counts all, of_the_middle;
  for (const node_record& n : r.of_nodes) {
    work_counts c;
    c.add(n.commands);
    c.add(n.instructions, r.program.element_bytes);
    if (n.node == 1) of_the_middle = c;
    all.add(c);
  }
  // In each step the middle node sends one element to each side, and receives one from each: 4 bytes.
  CHECK(of_the_middle.sent_bytes == 4 * 2 * 4);
  CHECK(of_the_middle.received_bytes == 4 * 2 * 4);
  CHECK(all.sent_bytes == all.received_bytes);
  CHECK(all.sent_bytes == 4 * 4 * 4);
  CHECK(all.commands["execute"] == 3 * 5);
  CHECK(all.instructions["compute"] == 3 * 5);
  CHECK(text_of(of_the_middle.commands).starts_with("1"));
  CHECK(text_of({{"copy", 2}, {"send", 3}}) == "5 (2 copy, 3 send)");
  CHECK(text_of(std::map<std::string_view, std::uint64_t>()) == "none");
}
