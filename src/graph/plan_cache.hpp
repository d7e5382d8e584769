// plan_cache.hpp - what follows from a task alone, remembered while tasks of its shape come again.
//
// Threads     one owner.
// Cost        find: a comparison; the plan is made again for a task without a shape, or one whose place another has taken.
// Memory      256 plans.
#pragma once

#include <cstdint>
#include <vector>

namespace stretto::graph {

template <class Plan>
class plan_cache {
 public:
  /// The plan for tasks of this shape; make(Plan&) makes it anew, over what another left there. Valid until the next call.
  template <class Make>
  Plan& find(std::uint64_t shape, Make make) {
    if (entries_.empty()) entries_.resize(1 + most);
    entry& e = entries_[shape == 0 ? 0 : 1 + shape % most];
    if (shape != 0 && e.shape == shape) return e.is;
    e.shape = 0;  // until it is made
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
  std::vector<entry> entries_;  // the first for tasks without a shape
};

}  // namespace stretto::graph
