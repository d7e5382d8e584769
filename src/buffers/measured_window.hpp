// measured_window.hpp - the launches between some horizons, and what each processor of this node took for its parts of them.
//
// Threads     one owner, until the last part has been added; then anybody may read.
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
    future<operation_profile> took;
    event done;
  };

  part& add(graph::processor_number by, double items) { return parts_.emplace_back(part{by, items, {}, {}}); }
  bool has_ended() const;
  /// When all parts have ended, whatever came of them.
  event ends(const std::source_location& where) const;
  /// By processor; nothing for any where something failed. Once it has ended.
  ///
  /// A processor is busy with a part from when that began, as far as the host can tell, and from when the part before ended. So the first part
  /// of each counts as the one before only: what was not measured may have been before it.
  std::vector<graph::measured_load> loads(std::size_t processors) const;

 private:
  std::deque<part> parts_;
};

/// One after another on one processor: what it did, and how long it was busy.
struct timed_part {
  graph::processor_number by = 0;
  double items = 0;
  double began = 0, ended = 0;  // seconds
};
std::vector<graph::measured_load> loads_of(std::vector<timed_part> parts, std::size_t processors);

/// What a node has done, as if its processors were one that is as fast as all of them together.
graph::measured_load together(const std::vector<graph::measured_load>& of);

}  // namespace stretto::buffers
