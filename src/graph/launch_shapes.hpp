// launch_shapes.hpp - cache of what each chunk uses through a custom mapping, evaluated once for repeated launches.
//
// Threads     one owner.
// Cost        find: O(cached shapes), at most 16. A new shape: one call of the mapping for each chunk.
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
    struct fault {
      bool is_there = false;
      node_number chunk = 0, other = 0;
      box where;
    };
    fault overlap;  // the first two chunks that use the same elements
    fault outside;  // the first chunk that uses elements outside of the buffer
  };

  const shape& find(const mapping& where, const chunk_grid& grid);

 private:
  std::vector<shape> shapes_;
  std::size_t next_ = 0;  // the entry to be replaced next
};

}  // namespace stretto::graph
