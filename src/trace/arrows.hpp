// arrows.hpp - computes the arrows of the timeline, which connect each cause with its effects.
//
// Threads     pure.
// Cost        O(n log n) in spans and effects.
#pragma once

#include <cstdint>
#include <vector>

namespace stretto::trace {

/// A span at its position in the timeline.
struct drawn_span {
  std::uint64_t id = 0;  // 0: cannot be a cause
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t node = 0;
  std::uint32_t row = 0;
};

/// An operation that waited for `cause` ran at this position and time.
struct effect {
  std::uint64_t cause = 0;
  std::uint64_t id = 0;  // 0: place and time are given below; else they are those of the next span with this id
  std::int64_t at_ns = 0;
  std::uint32_t node = 0;
  std::uint32_t row = 0;
};

struct arrow_end {
  std::int64_t at_ns = 0;
  std::uint32_t node = 0;
  std::uint32_t row = 0;
};
struct arrow {
  arrow_end from, to;
};

/// Returns one arrow per effect whose cause has a span that began no later. If the cause was suspended, it has
///         several spans, and the latest of them counts. An arrow leaves at the end of the cause, or at the start of
///         the effect if that is earlier, as when a running task creates another one. Sorted by cause, then by time.
std::vector<arrow> find_arrows(std::vector<drawn_span> spans, std::vector<effect> effects);

}  // namespace stretto::trace
