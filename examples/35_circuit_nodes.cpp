// 35_circuit_nodes.cpp - an electrical circuit, in pieces on several nodes.
//
// This application simulates a circuit like that of 08_circuit on several nodes of a cluster. Charge for another piece
// is a reduction, which is applied on the cluster's node that has this piece. It helps readers who add to data of other
// nodes, as in the assembly of finite elements.
//
// The program runs twice, with preconditions and with a wait before each operation, and compares both with a serial
// run. The simulation is in circuit_nodes.hpp; `./stretto bench nodes_circuit` measures both ways. Started alone, the
// program simulates a job of three nodes in one process. `stretto run -n 3 35_circuit_nodes` starts three processes
// instead.
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
