// The written elements of a buffer, which every node knows.
#include <doctest/doctest.h>

#include "graph/command_graph.hpp"
#include "graph/task_graph.hpp"

namespace stretto::graph {
namespace {

TEST_CASE(
    "elements count as written from the task on that writes them, on every node alike, and from the start where a "
    "buffer has content") {
  for (node_number self = 0; self < 3; ++self) {
    command_graph commands(self, 3);
    task_graph tasks;
    const box all({0, 0}, {6, 4});
    const auto make = [&](initial_data initial) {
      const buffer b{.elements = all, .initial = initial, .name = "u"};
      tasks.add(b);
      return commands.add(b);
    };
    const buffer_id none = make(initial_data::none), alike = make(initial_data::replicated);
    CHECK(commands.written(none, all) == region());
    CHECK(commands.written(alike, box({1, 1}, {2, 2})) == region(box({1, 1}, {2, 2})));
    task t;
    t.range = box({1, 0}, {5, 4});
    t.name = "write";
    t.accesses.push_back({none, mode::write, mapping::one_to_one(all)});
    std::vector<command> out;
    commands.add(tasks.add(t).id, t, out);
    CHECK(commands.written(none, all) == region(box({1, 0}, {5, 4})));
    CHECK(commands.written(none, box({4, 0}, {6, 2})) == region(box({4, 0}, {5, 2})));
  }
}

}  // namespace
}  // namespace stretto::graph
