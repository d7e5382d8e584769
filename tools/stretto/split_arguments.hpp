// split_arguments.hpp - a call of a subcommand that has a program behind `--`.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "stretto/command.hpp"

namespace stretto::tools {

/// The arguments before `--`, and the program behind it, if there is one.
struct split_invocation {
  invocation call;
  std::vector<std::string> program;
  bool has_program = false;
};

inline split_invocation split_at_program(const invocation& call) {
  split_invocation p{call, {}, false};
  const auto at = std::ranges::find(p.call.arguments, "--");
  if (at == p.call.arguments.end()) return p;
  p.has_program = true;
  p.program.assign(at + 1, p.call.arguments.end());
  p.call.arguments.erase(at, p.call.arguments.end());
  return p;
}

}  // namespace stretto::tools
