// buffer_programs.hpp - programs on distributed buffers, as the tasks that they submit: what generating graphs is
// measured with.
//
// Source      generative patterns and many tasks: Thoman, Salzmann, "Command Horizons", as Celerity's own benchmarks
//             have them (many tasks: test/system_benchmarks.cc); chain, soup, trees, wave and Jacobi: its
//             test/dag_benchmarks.cc.
#pragma once

#include <functional>
#include <vector>

#include "graph/task.hpp"

namespace bench {

struct graph_program {
  std::vector<stretto::graph::buffer> buffers;
  long tasks = 0;
  std::function<stretto::graph::task(long number)> task;
};

/// Step t writes row t of 256, of `axes` axes, and every chunk of it reads all rows before.
graph_program generative(int axes, long nodes);
inline constexpr long generative_steps = 256;

/// A field of 8,192 x 8,192, cut in tiles.
graph_program stencil(long steps);

/// 65,536 bodies of which each reads all: two launches a step.
graph_program bodies(long steps);

/// 15,000 tasks, `repeats` times over: each changes one column of 256 rows.
graph_program many_tasks(long repeats);
inline constexpr long many = 15'000;

/// The same with 256 elements in a row for each.
graph_program many_tasks_in_a_row(long repeats);

/// As many tasks as Celerity's.
graph_program chain(long nodes);
graph_program soup(long nodes);
graph_program expanding_tree(long nodes);
graph_program contracting_tree(long nodes);
graph_program wave();
graph_program jacobi();

}  // namespace bench
