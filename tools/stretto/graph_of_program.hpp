// graph_of_program.hpp - the graph of the work of a program on buffers, from a dry run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"

namespace stretto::tools {

struct program_graph {
  std::vector<std::string> program;  // and its arguments
  base::environment variables;       // STRETTO_..., in addition to those of this process
  std::string as;                    // dot, svg or json
  std::string file;                  // empty: standard output
  bool is_quiet = false;             // hides the output of the program, unless it fails
};

struct invocation;

/// The flags of the runtime as variables for a dry run as a job of so many nodes, which generates the commands of the
/// nodes `which`. A number of devices is that of each node, independent of the machine.
base::environment dry_variables(const invocation& call, std::uint64_t nodes, const std::string& which);

/// Runs the program, whose own output goes to standard error, and returns the graph that it wrote.
///
///   throws   W51 where there is no such program, W58 where it ended badly, W59 where it wrote no graph; B12 to B14,
///            B19 and B21 for the variables
std::string graph_of(const program_graph& asked);

/// The same, written to the file: also that of a program that ended badly.
///
///   returns  exit code 0
///   throws   as graph_of, and W05
int show_program_graph(const program_graph& asked);

}  // namespace stretto::tools
