// timeline_rows.hpp - arranges the spans of one track in rows, so that the spans of a row nest properly.
//
// Threads     pure.
//
// A timeline draws a track as a stack: of two spans on it, one contains the other or they do not overlap. Tasks of a
// worker nest naturally; copies on a queue that runs two at once do not, and get a second row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/record.hpp"

namespace stretto::trace {

struct timeline_layout {
  static constexpr std::uint8_t no_row = 0xff;
  std::vector<std::uint32_t> order;  // indices of the spans to draw, by start, outer before inner
  std::vector<std::uint8_t> row;     // row of span order[i]; no_row: all most_timeline_rows were occupied
  unsigned rows = 0;                 // number of used rows
};

inline constexpr unsigned most_timeline_rows = 64;

/// Whether a span is drawn on its thread's track. Suspensions and messages overlap freely and are not.
constexpr bool is_stacked(kind k) noexcept { return is_span(k) && k != kind::suspended && k != kind::message; }

/// Arranges the stacked spans among `records`; each takes the first row where it fits. A span that ends before its
/// start counts as empty. Cost: O(n log n), O(n) if they are in order.
timeline_layout lay_out_spans(std::span<const record> records);

}  // namespace stretto::trace
