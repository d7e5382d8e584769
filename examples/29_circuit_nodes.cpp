// 29_circuit_nodes.cpp - an electrical circuit distributed over nodes (circuit_nodes.hpp).
//
// Alone it takes a simulated job of three nodes within the process; `stretto run -n 3 29_circuit_nodes` makes it three
// processes.
//
// Output
//   6 pieces, 8 steps: as a serial run, also where each operation is waited for
//   12 pieces, 8 steps: as a serial run, also where each operation is waited for
#include "circuit_nodes.hpp"

#include <string>

#include "both_ways.hpp"

void program() {
  if (stretto::this_node() != 0) return;  // the others serve, until the job is over
  for (const int pieces : {6, 12}) {
    const circuit_nodes::circuit c = circuit_nodes::make(pieces);
    print_both_ways(
        std::to_string(pieces) + " pieces, 8 steps", [&](bool waits) { return circuit_nodes::on_nodes(c, 8, waits); },
        circuit_nodes::serially(c, 8));
  }
}

int main() { return run_on_nodes(program); }
