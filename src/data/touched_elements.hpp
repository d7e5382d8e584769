// touched.hpp - which elements of an array kernels named, for launches that learn what they use.
//
// Threads     any: items of a launch note what they name at once. What was noted is asked for when they have ended.
// Memory      a bit for each element of arrays of up to most_marked; of larger ones only the least box is known.
// Cost        a comparison for each axis, and a load, where nothing is new.
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

  /// `own`: what the items would use one to one. `all`: of the array.
  touched_elements(const box& own, const box& all);

  /// The least box with all of them; empty if there were none.
  box bounds() const;
  /// Just them; nothing of an array that is too large, and of those that make up more boxes than most_boxes.
  std::optional<region> elements() const;
  /// How many; 0 of an array that is too large.
  std::uint64_t count() const;
  /// Whether one lay beyond `own` along two axes or more at once.
  bool has_corners() const noexcept { return corners.load(std::memory_order_relaxed); }

  const box own, all;
  std::atomic<std::int64_t> min[3] = {none, none, none}, max[3] = {-none, -none, -none};
  std::atomic<bool> corners = false;
  std::unique_ptr<std::atomic<std::uint64_t>[]> marks;  // a bit for each element of `all`, the last axis fastest

  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
};

}  // namespace stretto
