// rank_set.hpp - a set of nodes of a job, such as those that use an object of this node.
//
// Threads     one at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "dist/message_codec.hpp"

namespace stretto::dist {

class rank_set {
 public:
  void add(rank r) {
    if (r >= has_.size()) has_.resize(std::size_t{r} + 1);
    has_[r] = true;
  }
  bool contains(rank r) const noexcept { return r < has_.size() && has_[r]; }
  /// f(rank) for each, in ascending order.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t r = 0; r < has_.size(); ++r)
      if (has_[r]) f(static_cast<rank>(r));
  }

 private:
  std::vector<bool> has_;  // by rank
};

}  // namespace stretto::dist
