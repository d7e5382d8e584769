// node_process.hpp - the process that stands between a launcher and one node: it starts the program, passes signals on,
// labels what it prints, and tells how it ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stretto::job {

enum class output { as_it_is, labelled };

/// Runs the program to its end. Returns the exit code for the launcher: the program's own, 128 and the signal that
/// ended it, or 127 where it could not be started; 1 instead of 0 where it ended in the middle of its job. Unless that
/// is 0, or the node was told to end, the marked line of node_end.hpp was written.
int run_node_process(const std::vector<std::string>& program, output shown);

/// This node's number, from what the launcher says; 0 where it says nothing.
std::uint32_t own_number();

/// Puts `label` in front of each line. Text may come in pieces.
class labeller {
 public:
  explicit labeller(std::string label) : label_(std::move(label)) {}
  /// The lines that are whole now, labelled; a very long one also before its end.
  std::string add(std::string_view came);
  /// The last line, if it has no end, with one.
  std::string rest();

 private:
  std::string label_, line_;
};

}  // namespace stretto::job
