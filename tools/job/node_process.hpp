// node_process.hpp - the process between a launcher and one node: it starts the program, forwards signals, labels the
// output, and reports how the program ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stretto::job {

enum class output { as_it_is, labelled };

/// Runs the program to its end. Returns the exit code for the launcher: that of the program, 128 + the signal that
/// ended it, 127 if it could not be started, or 1 instead of 0 if it ended in the middle of its job. Writes the marked
/// line of node_end.hpp, unless the code is 0 or the node was signalled to end.
int run_node_process(const std::vector<std::string>& program, output shown);

/// This node's number, from the launcher's variables; 0 without them.
std::uint32_t own_number();

/// Puts `label` in front of each line. Text may come in pieces.
class labeller {
 public:
  explicit labeller(std::string label) : label_(std::move(label)) {}
  /// The complete lines, labelled; a very long one also before its end.
  std::string add(std::string_view came);
  /// The last line, if it has no end, with one.
  std::string rest();

 private:
  std::string label_, line_;
};

}  // namespace stretto::job
