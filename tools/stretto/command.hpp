// command.hpp - a subcommand of `stretto`: one row in the table of main.cpp, one function, one file.
//
// Shape       exit code 0: success; 1: the answer is no, or the work failed; 2: wrong arguments.
//             Failures are thrown as stretto::error; main prints them. W codes are the command's own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"

namespace stretto::tools {

/// How a subcommand was called.
struct invocation {
  std::string_view name;               // as in the table
  std::string_view summary;            // as in the table
  base::parsed_options options;        // the options of the runtime, from flags and environment
  std::vector<std::string> arguments;  // the other arguments behind the name
};

/// Which code parses the flags of the runtime: main, at any position, or the command, whose arguments contain those of
/// a program.
enum class runtime_flags { are_read, are_left };

struct command {
  std::string_view name;
  std::string_view summary;  // one sentence, no full stop
  int (*run)(const invocation&);
  tools::runtime_flags runtime_flags = runtime_flags::are_read;
};

/// The table, in the order of the help text.
std::span<const command> commands();

int run_cc(const invocation&);
int run_cxx(const invocation&);
int run_demo(const invocation&);
int run_doctor(const invocation&);
int run_explain(const invocation&);
int run_new(const invocation&);
int run_options(const invocation&);
int run_platform(const invocation&);
int run_top(const invocation&);
int run_run(const invocation&);
int run_report(const invocation&);
int run_join(const invocation&);
int run_graph(const invocation&);
int run_scaling(const invocation&);
int run_why(const invocation&);

}  // namespace stretto::tools
