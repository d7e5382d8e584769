// measured_window.hpp - the launches of a measurement window, and the time that each processor of this node took for
// its parts.
//
// Threads     one owner until the last part is added; then any thread may read.
// Cost        a profile for each part (profile.hpp). loads: O(parts log parts).
#pragma once

#include <stretto/profile.hpp>

#include <deque>
#include <source_location>
#include <vector>

#include "graph/balance_weights.hpp"
#include "graph/node_shape.hpp"

namespace stretto::buffers {

class measured_window {
 public:
  struct part {
    graph::processor_number by = 0;
    double items = 0;
    future<operation_profile> profile;
    event done;
  };

  part& add(graph::processor_number by, double items) { return parts_.emplace_back(part{by, items, {}, {}}); }
  bool has_ended() const;
  /// Triggers when all parts have ended, also those that failed.
  event ends(const std::source_location& where) const;
  /// The load of each processor; all zero if a part failed. Requires has_ended().
  ///
  /// The busy time of a part begins when the host saw it start, and not before the end of the part before. So the first
  /// part of each processor only marks a start: unmeasured work may have preceded it.
  std::vector<graph::measured_load> loads(std::size_t processors) const;

 private:
  std::deque<part> parts_;
};

/// A part on one processor: its items, and when it ran.
struct timed_part {
  graph::processor_number by = 0;
  double items = 0;
  double began = 0, ended = 0;  // seconds
};
std::vector<graph::measured_load> loads_of(std::vector<timed_part> parts, std::size_t processors);

/// The load of a node, as if its processors were one with the sum of their speeds.
graph::measured_load together(const std::vector<graph::measured_load>& of);

}  // namespace stretto::buffers
