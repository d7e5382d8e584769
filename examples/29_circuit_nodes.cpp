// 29_circuit_nodes.cpp - an electrical circuit whose pieces lie on several nodes: the program that uses circuit_nodes.hpp.
//
// Alone it takes a simulated job of three nodes within the process; `stretto run -n 3 29_circuit_nodes` makes it three processes.
//
// Output
//   6 pieces, 8 steps: as a serial run, also where each operation is waited for
//   12 pieces, 8 steps: as a serial run, also where each operation is waited for
#include "circuit_nodes.hpp"

#include <cstdio>
#include <thread>

using namespace stretto;

void program() {
  if (this_node() != 0) return;  // the others serve, until the job is over
  const int steps = 8;
  for (const int pieces : {6, 12}) {
    const circuit_nodes::circuit c = circuit_nodes::make(pieces);
    const auto expected = circuit_nodes::serially(c, steps);
    std::printf("%d pieces, %d steps: %s a serial run, %s where each operation is waited for\n", pieces, steps,
                circuit_nodes::on_nodes(c, steps, false) == expected ? "as" : "NOT as",
                circuit_nodes::on_nodes(c, steps, true) == expected ? "also" : "but NOT");
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
