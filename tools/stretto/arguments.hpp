// arguments.hpp - reads the arguments of one subcommand with CLI11, and speaks of faults as Stretto does.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>

#include "stretto/command.hpp"

namespace stretto::tools {

/// A parser that knows the name and the summary of the subcommand that was called; add flags to it.
class arguments : public CLI::App {
 public:
  explicit arguments(const invocation& call);

  /// Adds `--json`, which every subcommand that prints data has.
  void add_json(bool& wanted);

  /// Reads the arguments. Returns false if they asked for help, which then was printed.
  ///   throws  W02 unknown flag or surplus word, W03 a flag or word that is missing or cannot be read
  bool read();

 private:
  const invocation& call_;
};

}  // namespace stretto::tools
