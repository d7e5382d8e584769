// sequence.hpp - numbers for what is made one after the other, each behind some that are older; and horizons among them.
//
// Threads     one owner.
// Cost        append: one step for each number that is followed. A horizon: one for each number since the last.
// Memory      what has been appended since the horizon before the last: nothing older is asked for.
// Invariants  (1) a horizon follows, directly or not, all that is older. (2) what is appended with nothing to follow follows the horizon
//             applied last.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <deque>
#include <vector>

namespace stretto::graph {

/// Ascending, each once.
using dependencies = boost::container::small_vector<std::uint64_t, 4>;

class sequence {
 public:
  /// Begins with number 0, an epoch.
  sequence() : nodes_(1) {}

  std::uint64_t next() const noexcept { return first_ + nodes_.size(); }
  /// Appends next(). What it follows is put into order, and gets whom it follows if it has nobody.
  void append(dependencies& follows);
  /// Appends what follows all that nobody follows yet. The horizon before it is applied: true to whatever is older from now on.
  void append_horizon(dependencies& follows);
  /// As a horizon, and applied itself.
  void append_epoch(dependencies& follows);

  /// What is older is meant by this.
  std::uint64_t applied() const noexcept { return applied_; }
  std::uint64_t horizon() const noexcept { return horizon_; }
  /// By how many the critical path has grown since the last horizon; horizons are no steps of it.
  std::uint64_t grown() const noexcept { return deepest_ - at(horizon_).depth; }
  /// How many that nobody follows.
  std::uint64_t front() const noexcept { return front_; }
  std::size_t remembered() const noexcept { return nodes_.size(); }

 private:
  struct node {
    std::uint64_t depth = 0;
    bool is_followed = false;
  };
  const node& at(std::uint64_t n) const { return nodes_[n - first_]; }
  void append(const dependencies& follows, std::uint64_t steps);
  void append_before_all_later(dependencies& follows);
  void apply(std::uint64_t horizon);

  std::deque<node> nodes_;
  std::uint64_t first_ = 0;    // number of nodes_.front()
  std::uint64_t horizon_ = 0;  // the last
  std::uint64_t applied_ = 0;  // the one before, or an epoch; never below first_
  std::uint64_t front_ = 1;
  std::uint64_t deepest_ = 0;
};

/// Ascending, each once.
void sort_unique(dependencies& follows);

}  // namespace stretto::graph
