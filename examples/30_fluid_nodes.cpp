// 30_fluid_nodes.cpp - a fluid of particles distributed over several nodes (fluid_nodes.hpp).
//
// Alone it takes a simulated job of three nodes within the process; `stretto run -n 3 30_fluid_nodes` makes it three
// processes.
//
// Output
//   288 particles, 8 steps: as a serial run, also where each operation is waited for
//   648 particles, 8 steps: as a serial run, also where each operation is waited for
#include "fluid_nodes.hpp"

#include <string>

#include "both_ways.hpp"

void program() {
  if (stretto::this_node() != 0) return;  // the others serve, until the job is over
  for (const int width : {12, 18}) {
    const auto expected = fluid_nodes::serially(width, 8);  // none is lost, or there twice: numbers are compared, too
    print_both_ways(
        std::to_string(expected.size()) + " particles, 8 steps",
        [&](bool waits) { return fluid_nodes::on_nodes(width, 3, 8, waits); }, expected);
  }
}

int main() { return run_on_nodes(program); }
