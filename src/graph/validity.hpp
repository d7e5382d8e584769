// validity.hpp - the memories of a node that hold the last written value of each element of a buffer.
//
// Threads     one owner.
// Cost        O(pieces met).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "geometry/region_map.hpp"
#include "graph/node_shape.hpp"

namespace stretto::graph {

/// A part of a buffer, and the memories in which it is valid.
using valid_part = std::pair<box, memory_set>;

class validity {
 public:
  explicit validity(const box& elements) : elements_(elements) {}

  /// The parts of `where` that are valid in some memory, and the memories.
  std::vector<valid_part> of(const box& where) const { return valid_.query(where); }
  void written(const box& where, memory_number m) { valid_.update(where, only(m)); }
  /// Marks the parts of `where` that are valid anywhere as valid in this memory, too.
  void copied(const box& where, memory_number m);
  /// Appends the parts of `where` that are valid only in other memories, and marks them as valid in this one.
  void make_valid(const box& where, memory_number m, std::vector<valid_part>& lacking);
  /// `where` becomes invalid in this memory. Elements that were valid only there are lost.
  void lost(const box& where, memory_number m);

  std::size_t pieces() const noexcept { return valid_.size(); }
  /// The complete state, encoded, for memoized_state.
  std::vector<std::uint64_t> key() const;

 private:
  box elements_;
  region_map<memory_set> valid_;
};

}  // namespace stretto::graph
