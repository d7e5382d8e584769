// ranks_program.hpp - programs of ranks that demonstrations compile and run: their sources, their environment, and the
// pictures that they draw.
//
// Threads     the main thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "demo/wave/png_writer.hpp"

namespace stretto::tools {

/// The source of a program, as "mpi/heat.c": an installed command finds it beside itself, a built one in the source
/// tree.
std::filesystem::path program_source(const std::filesystem::path& name);

/// Variables for so many ranks. The flags of the runtime that were given apply to the program's runtime.
std::vector<std::string> program_variables(int ranks, const base::parsed_options& options);

/// Runs the program and prints its errors. Returns whether it succeeded, with its output.
struct program_end {
  bool has_succeeded;
  std::string output;
};
program_end run_program_of_ranks(std::vector<std::string> command, std::vector<std::string> variables);

/// A picture that a program has drawn (Netpbm, P6, three bytes a pixel). Throws W21.
wave::rgb_image read_netpbm(const std::filesystem::path& file);

}  // namespace stretto::tools
