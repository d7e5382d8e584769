#include "uts_program.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace uts {

arguments arguments::parse(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "T1";
  const arguments a{find(name), argc > 2 ? std::max(1, std::atoi(argv[2])) : 1};
  if (!a.named) throw std::invalid_argument("there is no published tree \"" + name + "\"; T1 is one");
  return a;
}

std::string fault_of(const published_tree& named, const census& found) {
  const auto differs = [](const char* what, auto got, auto wanted) {
    return std::to_string(got) + " " + what + " found, of " + std::to_string(wanted);
  };
  if (found.nodes != named.expected.nodes) return differs("nodes", found.nodes, named.expected.nodes);
  if (named.expected.leaves && found.leaves != named.expected.leaves)
    return differs("leaves", found.leaves, named.expected.leaves);
  if (named.expected.depth && found.depth != named.expected.depth)
    return differs("levels", found.depth, named.expected.depth);
  return {};
}

int report(const char* version, int pe, int pes, const published_tree& named, const census& found,
           std::vector<double> seconds) {
  const std::string fault = fault_of(named, found);
  if (pe != 0) return fault.empty() ? 0 : 1;
  std::printf("UTS, %s: %d PEs, tree %s\n", version, pes, std::string(named.name).c_str());
  if (!fault.empty()) {
    std::printf("wrong: %s\n", fault.c_str());
    return 1;
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("verified: %lu nodes, %lu leaves, depth %d\nseconds: %.6f\n", found.nodes, found.leaves, found.depth,
              seconds[seconds.size() / 2]);
  return 0;
}

}  // namespace uts
