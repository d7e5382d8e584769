// bfs_program.hpp - what all versions of the breadth-first search have in common: the command line, the searches from
// several roots with the check of each, and the report of process 0.
#pragma once

#include <functional>

#include "bfs_graph.hpp"

namespace graph500 {

/// bfs [SCALE [ROOTS]]
struct arguments {
  int scale = 16;
  int roots = 8;

  static arguments parse(int argc, char** argv);
};

/// Collective calls of all processes, outside of searches.
struct collectives {
  std::function<void()> barrier;
  std::function<long(long)> sum;
  /// The values of all processes, one behind the other.
  std::function<std::vector<vertex>(const std::vector<vertex>&)> gather;
};

/// Times `search` from each root, checks what the tree then is, and reports. The exit code of the program.
int run(const char* version, const arguments& given, const graph_part& g, search_tree& tree, const collectives& all,
        const std::function<void(vertex root)>& search);

}  // namespace graph500
