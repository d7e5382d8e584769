// arguments.hpp - parses the arguments of one subcommand with CLI11, and reports faults as Stretto errors.
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

  /// The first argument that is no flag, or the one behind `--`, is a program; the rest are its arguments and stay as
  /// they are. Flags of the runtime before it apply to the program, too.
  void end_at_program();
  const std::vector<std::string>& program() const { return program_; }
  /// "STRETTO_WORKERS" and its value, of each flag of the runtime before the program.
  const base::environment& for_program() const { return for_program_; }

  /// Reads the arguments. Returns false if they asked for help, which then was printed.
  ///   throws  W02 unknown flag or surplus word, W03 a flag or word that is missing or cannot be read
  bool read();
  /// What was read, so that another call of this subcommand reads the same, without one of the options.
  std::vector<std::string> given_but(const std::string& long_name) const;

 private:
  [[noreturn]] void refuse(const std::string& word) const;
  void take_program();

  const invocation& call_;
  bool ends_at_program_ = false;
  std::vector<std::string> program_;
  base::environment for_program_;
};

}  // namespace stretto::tools
