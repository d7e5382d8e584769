#include "graph/sequence.hpp"

#include <algorithm>
#include <utility>

namespace stretto::graph {

void sort_unique(dependencies& follows) {
  if (follows.size() < 2) return;
  std::ranges::sort(follows);
  follows.erase(std::unique(follows.begin(), follows.end()), follows.end());
}

void sequence::append(dependencies& follows) {
  sort_unique(follows);
  if (follows.empty()) follows.push_back(applied_);
  append(follows, 1);
}

void sequence::append(const dependencies& follows, std::uint64_t steps) {
  std::uint64_t depth = 0;
  for (const std::uint64_t before : follows) {
    node& b = nodes_[before - first_];
    depth = std::max(depth, b.depth + steps);
    front_ -= !std::exchange(b.is_followed, true);
  }
  deepest_ = std::max(deepest_, depth);
  ++front_;
  nodes_.push_back({depth, false});
}

void sequence::append_before_all_later(dependencies& follows) {
  follows.clear();
  for (std::uint64_t n = horizon_; n < next(); ++n)  // everything older has a successor: the horizon
    if (!at(n).is_followed) follows.push_back(n);
  append(follows, 0);
}

void sequence::append_horizon(dependencies& follows) {
  append_before_all_later(follows);
  apply(std::exchange(horizon_, next() - 1));
}

void sequence::append_epoch(dependencies& follows) {
  append_before_all_later(follows);
  horizon_ = next() - 1;
  apply(horizon_);
}

void sequence::apply(std::uint64_t horizon) {
  applied_ = horizon;
  nodes_.erase(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(applied_ - first_));
  first_ = applied_;
}

}  // namespace stretto::graph
