// graph_of_program.hpp - what a program would do on buffers, as a graph: the program is run dry.
#pragma once

#include <string>
#include <vector>

#include "base/options.hpp"

namespace stretto::tools {

struct program_graph {
  std::vector<std::string> program;  // and its arguments
  base::environment variables;       // STRETTO_..., beside those of this process
  std::string as;                    // dot, svg or json
  std::string file;                  // empty: standard output
};

/// Runs the program, whose own output goes to standard error, and hands on the graph that it wrote.
///
///   returns  exit code 0
///   throws   W51 where there is no such program, W58 where it ended badly, W59 where it wrote no graph; B12 to B14 and B21 for the variables
int show_program_graph(const program_graph& asked);

}  // namespace stretto::tools
