// touched_elements.hpp - records which elements of an array kernels use, for launches that learn their uses.
//
// Threads     any: items of a launch record at the same time. Results are read when they have ended.
// Memory      a bit per element for arrays of up to most_marked; for larger ones only the bounding box is known.
// Cost        a comparison per axis, and a load, if nothing is new.
#pragma once

#include <stretto/box.hpp>
#include <stretto/kernel_code.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "geometry/region.hpp"

namespace stretto {

struct touched_elements {
  static constexpr std::uint64_t most_marked = 1 << 22;
  static constexpr std::size_t most_boxes = 4096;

  /// `own`: the elements that the items would use one to one. `all`: of the array.
  touched_elements(const box& own, const box& all);

  /// The bounding box; empty if there were none.
  box bounds() const;
  /// The exact elements; nothing if the array is too large, or if they form more than most_boxes boxes.
  std::optional<region> elements() const;
  /// Their number; 0 if the array is too large.
  std::uint64_t count() const;
  /// Whether an element lay outside of `own` along two axes or more at once.
  bool has_corners() const noexcept { return corners.load(std::memory_order_relaxed); }

  const box own, all;
  std::atomic<std::int64_t> min[3] = {none, none, none}, max[3] = {-none, -none, -none};
  std::atomic<bool> corners = false;
  std::unique_ptr<std::atomic<std::uint64_t>[]> marks;  // a bit for each element of `all`, the last axis fastest

  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
};

}  // namespace stretto
