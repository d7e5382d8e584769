// launch_shapes.hpp - what a task's chunks use, for mappings of the program's own: asked once, while launches repeat.
//
// Threads     one owner.
// Cost        find: O(shapes remembered), at most 16. A new one: a call of the mapping for each chunk.
#pragma once

#include <vector>

#include "graph/task.hpp"

namespace stretto::graph {

class launch_shapes {
 public:
  struct shape {
    mapping where;
    chunk_grid grid;
    std::vector<used_boxes> of_nodes;  // by chunk, within the elements
    used_boxes of_all;                 // disjoint
    struct {
      bool is_there = false;
      node_number chunk = 0, other = 0;
      box where;
    } overlap, outside;  // the first of each; two chunks with the same elements, elements that the buffer does not have
  };

  const shape& find(const mapping& where, const chunk_grid& grid);

 private:
  std::vector<shape> shapes_;
  std::size_t next_ = 0;  // to be replaced
};

}  // namespace stretto::graph
