// 34_heat_levels.cpp - heat on three levels of mesh refinement, in pieces on several nodes.
//
// This application solves the heat equation on nested meshes. Node 0 submits all tasks and copies of all nodes ahead,
// ordered by events alone. It helps readers who have adaptive mesh refinement, and shows that no barrier is needed.
//
// The program runs twice, with preconditions and with a wait before each operation, and compares both with a serial
// run. The solver is in heat_levels.hpp; `./stretto bench nodes_levels` measures both ways. Started alone, the program
// simulates a job of three nodes in one process. `stretto run -n 3 34_heat_levels` starts three processes instead.
//
// Output
//   24 cells, 8 steps: as a serial run, also where each operation is waited for
//   48 cells, 8 steps: as a serial run, also where each operation is waited for
#include "heat_levels.hpp"

#include <string>

#include "both_ways.hpp"

void program() {
  if (stretto::this_node() != 0) return;  // the others serve, until the job is over
  for (const int n : {24, 48})
    print_both_ways(
        std::to_string(n) + " cells, 8 steps", [&](bool waits) { return heat_levels::on_nodes(n, 8, waits); },
        heat_levels::serially(n, 8));
}

int main() { return run_on_nodes(program); }
