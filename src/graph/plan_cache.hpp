// plan_cache.hpp - cache of plans, which follow from a task alone, for repeated tasks of the same shape.
//
// Threads     one owner.
// Cost        find: a comparison. A task without a shape, or whose entry was replaced, gets a new plan.
// Memory      256 plans.
#pragma once

#include <cstdint>
#include <vector>

namespace stretto::graph {

template <class Plan>
class plan_cache {
 public:
  /// Returns the plan for tasks of this shape, valid until the next call. On a miss, make(Plan&) fills it in over an
  /// old plan.
  template <class Make>
  Plan& find(std::uint64_t shape, Make make) {
    if (entries_.empty()) entries_.resize(1 + most);
    entry& e = entries_[shape == 0 ? 0 : 1 + shape % most];
    if (shape != 0 && e.shape == shape) return e.is;
    e.shape = 0;  // an exception in make leaves no entry
    make(e.is);
    e.shape = shape;
    return e.is;
  }
  void clear() { entries_.clear(); }

 private:
  static constexpr std::size_t most = 256;
  struct entry {
    std::uint64_t shape = 0;
    Plan is;
  };
  std::vector<entry> entries_;  // the first entry is for tasks without a shape
};

}  // namespace stretto::graph
