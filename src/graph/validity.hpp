// validity.hpp - which memories of a node hold the elements of a buffer as they were written last.
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

/// A part of a buffer, and the memories that have it.
using valid_part = std::pair<box, memory_set>;

class validity {
 public:
  explicit validity(const box& elements) : elements_(elements) {}

  /// The parts of `where` that some memory has, and which do.
  std::vector<valid_part> of(const box& where) const { return valid_.query(where); }
  void written(const box& where, memory_number m) { valid_.update(where, only(m)); }
  /// The parts of `where` that some memory has have come into this one, too.
  void copied(const box& where, memory_number m);
  /// Appends the parts of `where` that other memories have and this one has not: now it has.
  void take(const box& where, memory_number m, std::vector<valid_part>& lacking);
  /// That memory has lost `where`; who had it alone has lost it altogether.
  void lost(const box& where, memory_number m);

  std::size_t pieces() const noexcept { return valid_.size(); }
  /// All that is remembered, for `recurring`.
  std::vector<std::uint64_t> key() const;

 private:
  box elements_;
  region_map<memory_set> valid_;
};

}  // namespace stretto::graph
