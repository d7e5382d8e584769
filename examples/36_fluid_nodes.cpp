// 36_fluid_nodes.cpp - a fluid of particles, in pieces on several nodes.
//
// This application simulates a fluid by smoothed particles in cells. A piece gets the cells around it from its
// neighbours before each phase of a step, and particles move from piece to piece. It helps readers who have particle
// codes.
//
// The program runs twice, with preconditions and with a wait before each operation, and compares both with a serial
// run. The simulation is in fluid_nodes.hpp; `./stretto bench nodes_fluid` measures both ways. Started alone, the
// program simulates a job of three nodes in one process. `stretto run -n 3 36_fluid_nodes` starts three processes
// instead.
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
