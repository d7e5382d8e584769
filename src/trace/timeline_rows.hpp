// timeline_rows.hpp - lays the spans of one track out so that in each lane they nest properly.
//
// Threads     pure.
//
// A timeline draws a track as a stack: of two spans on it, one contains the other or they do not meet. Tasks of
// a worker are so by nature; copies on a queue that runs two at once are not, and get a second lane.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/record.hpp"

namespace stretto::trace {

struct timeline_layout {
  static constexpr std::uint8_t no_row = 0xff;
  std::vector<std::uint32_t> order;  // indices of the spans to draw: by start, outer before inner
  std::vector<std::uint8_t> row;    // of order[i]; no_lane: all most_lanes were occupied
  unsigned rows = 0;                // used
};

inline constexpr unsigned most_timeline_rows = 64;

/// Whether a span goes on its thread's track. Suspensions and messages overlap freely and do not.
constexpr bool is_stacked(kind k) noexcept {
  return is_span(k) && k != kind::suspended && k != kind::message;
}

/// Lays out the stacked spans among `records`. A span that ends before it starts counts as of no length.
/// Every span takes the first lane where it fits. Cost: O(n log n), O(n) if they come in order.
timeline_layout lay_out_spans(std::span<const record> records);

}  // namespace stretto::trace
