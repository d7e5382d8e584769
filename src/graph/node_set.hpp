// node_set.hpp - a set of nodes as intervals of their numbers: "all but this one" of 4,096 nodes takes two intervals.
//
// Threads     a value.
// Cost        set operations: O(intervals).
// Invariants  intervals are not empty, disjoint, ascending, and do not touch: equal sets are equal values.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/ids.hpp"

namespace stretto::graph {

class node_set {
 public:
  struct interval {
    node_number first = 0, last = 0;  // [first, last)
    friend constexpr bool operator==(const interval&, const interval&) = default;
  };

  node_set() = default;
  /// [first, last)
  node_set(node_number first, node_number last) {
    if (first < last) intervals_.push_back({first, last});
  }

  bool is_empty() const noexcept { return intervals_.empty(); }
  bool contains(node_number n) const noexcept;
  std::uint64_t size() const noexcept;
  const auto& intervals() const noexcept { return intervals_; }

  friend node_set operator|(const node_set& a, const node_set& b);
  friend node_set operator&(const node_set& a, const node_set& b) { return a - (a - b); }
  friend node_set operator-(const node_set& a, const node_set& b);
  node_set& operator|=(const node_set& b) { return *this = *this | b; }
  node_set& operator-=(const node_set& b) { return *this = *this - b; }
  friend bool operator==(const node_set&, const node_set&) = default;

  /// Appends [first, last), which must lie behind all intervals or touch the last one.
  void append(node_number first, node_number last);

  /// "N0", "N1-N511", "N0 N2-N3", "none".
  std::string text() const;

 private:
  std::vector<interval> intervals_;
};

}  // namespace stretto::graph
