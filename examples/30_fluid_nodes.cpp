// 30_fluid_nodes.cpp - a fluid of particles whose cells lie on several nodes: the program that uses fluid_nodes.hpp.
//
// Alone it takes a simulated job of three nodes within the process; `stretto run -n 3 30_fluid_nodes` makes it three processes.
//
// Output
//   288 particles, 8 steps: as a serial run, also where each operation is waited for
//   648 particles, 8 steps: as a serial run, also where each operation is waited for
#include "fluid_nodes.hpp"

#include <cstdio>
#include <thread>

using namespace stretto;

void program() {
  if (this_node() != 0) return;  // the others serve, until the job is over
  const int steps = 8;
  for (const int width : {12, 18}) {
    const auto expected = fluid_nodes::serially(width, steps);
    const std::size_t particles = expected.size();  // none is lost, or there twice: numbers are compared, too
    std::printf("%zu particles, %d steps: %s a serial run, %s where each operation is waited for\n", particles, steps,
                fluid_nodes::on_nodes(width, 3, steps, false) == expected ? "as" : "NOT as",
                fluid_nodes::on_nodes(width, 3, steps, true) == expected ? "also" : "but NOT");
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
