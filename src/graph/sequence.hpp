// sequence.hpp - the numbering of a graph's nodes, each of which follows older ones; and the horizons among them.
//
// Threads     one owner.
// Cost        append: one step for each predecessor. A horizon: one step for each number since the last horizon.
// Memory      everything since the horizon before the last: nothing older is accessed.
// Invariants  (1) a horizon follows, directly or not, everything older. (2) an entry without predecessors follows the
//             horizon applied last.
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
  /// Starts with number 0, an epoch.
  sequence() : nodes_(1) {}

  std::uint64_t next() const noexcept { return first_ + nodes_.size(); }
  /// Appends next(). Sorts `follows`; if it is empty, adds the last applied horizon.
  void append(dependencies& follows);
  /// Appends a horizon, which follows everything without successors. The horizon before it is applied: it stands for
  /// everything older from now on.
  void append_horizon(dependencies& follows);
  /// As append_horizon, and the epoch itself is applied.
  void append_epoch(dependencies& follows);

  /// The horizon that stands for everything older.
  std::uint64_t applied() const noexcept { return applied_; }
  std::uint64_t horizon() const noexcept { return horizon_; }
  /// The growth of the critical path since the last horizon; horizons do not count.
  std::uint64_t grown() const noexcept { return deepest_ - at(horizon_).depth; }
  /// The number of entries without successors.
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
  std::uint64_t applied_ = 0;  // the horizon before, or an epoch; never below first_
  std::uint64_t front_ = 1;
  std::uint64_t deepest_ = 0;
};

/// Ascending, each once.
void sort_unique(dependencies& follows);

}  // namespace stretto::graph
