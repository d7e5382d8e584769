// 28_heat_levels.cpp - heat on three levels of refinement on several nodes: the program that uses heat_levels.hpp.
//
// Alone it takes a simulated job of three nodes within the process; `stretto run -n 3 28_heat_levels` makes it three processes.
//
// Output
//   24 cells, 8 steps: as a serial run, also where each operation is waited for
//   48 cells, 8 steps: as a serial run, also where each operation is waited for
#include "heat_levels.hpp"

#include <cstdio>
#include <thread>

using namespace stretto;

void program() {
  if (this_node() != 0) return;  // the others serve, until the job is over
  const int steps = 8;
  for (const int n : {24, 48}) {
    const auto expected = heat_levels::serially(n, steps);
    std::printf("%d cells, %d steps: %s a serial run, %s where each operation is waited for\n", n, steps,
                heat_levels::on_nodes(n, steps, false) == expected ? "as" : "NOT as",
                heat_levels::on_nodes(n, steps, true) == expected ? "also" : "but NOT");
  }
}

int main() {
  if (runtime rt; rt.nodes() > 1) {  // a launcher has started several processes
    rt.run(program);
    return 0;
  }
  simulated_job job({.nodes = 3});
  std::vector<std::thread> nodes;
  for (std::uint32_t n = 0; n < job.nodes(); ++n)
    nodes.emplace_back([&job, n] {
      runtime rt({.workers = 1, .job = job.seat(n)});
      rt.run(program);
    });
  for (auto& t : nodes) t.join();
}
