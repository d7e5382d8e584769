// 28_heat_levels.cpp - heat on three levels of refinement on several nodes (heat_levels.hpp).
//
// Alone it takes a simulated job of three nodes within the process; `stretto run -n 3 28_heat_levels` makes it three
// processes.
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
