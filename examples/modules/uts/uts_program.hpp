// uts_program.hpp - what all versions of the unbalanced tree search have in common: the step of a search, the command
// line, and the report of PE 0. The trees and their published sizes are those of bench/uts.
#pragma once

#include <string>
#include <vector>

#include "uts/uts_tree.hpp"

namespace uts {

using stack = std::vector<node>;

/// Nodes that a search keeps for itself, and checks after which it tests whether others need some.
inline constexpr std::size_t least_shared = 16;
inline constexpr int steps_per_check = 16;

/// Replaces the newest node by its children.
inline void expand(const tree& t, stack& nodes, census& found) {
  const node n = nodes.back();
  nodes.pop_back();
  const int children = t.num_children(n);
  found.visit(n, children);
  for (int i = 0; i < children; ++i) nodes.push_back(t.child(n, i));
}

/// Removes the oldest nodes, which have the largest subtrees.
inline stack take_oldest(stack& nodes, std::size_t count) {
  const auto end = nodes.begin() + static_cast<std::ptrdiff_t>(count);
  stack taken(nodes.begin(), end);
  nodes.erase(nodes.begin(), end);
  return taken;
}

/// uts [TREE [REPETITIONS]]
struct arguments {
  const published_tree* named;
  int repetitions = 1;

  /// Throws std::invalid_argument if there is no such tree.
  static arguments parse(int argc, char** argv);
};

/// Prints the result on PE 0, with the median of the times. The exit code of the program.
int report(const char* version, int pe, int pes, const published_tree& named, const census& found,
           std::vector<double> seconds);
/// Empty if these are the published counts, or what is wrong.
std::string fault_of(const published_tree& named, const census& found);

}  // namespace uts
