// arrows.hpp - finds for each cause and effect the two ends of the arrow in the timeline.
//
// Threads     pure.
// Cost        O(n log n) in spans and effects.
#pragma once

#include <cstdint>
#include <vector>

namespace stretto::trace {

/// A span as drawn.
struct drawn_span {
  std::uint64_t id = 0;  // 0: nobody can name it
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t node = 0;
  std::uint32_t row = 0;
};

/// "What ran here, from then on, was waiting for `cause`."
struct effect {
  std::uint64_t cause = 0;
  std::uint64_t id = 0;  // 0: the place and time below are known; else they are those of the next span with this id
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

/// One arrow per effect whose cause has a span that began no later. An operation that was suspended has several:
/// the latest of these counts. Arrows leave at the end of the cause, or when the effect begins if that is earlier,
/// as when a running task makes another. Sorted by cause, then by time.
std::vector<arrow> find_arrows(std::vector<drawn_span> spans, std::vector<effect> effects);

}  // namespace stretto::trace
