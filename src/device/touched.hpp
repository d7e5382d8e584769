// touched.hpp - which elements of an array kernels named, for launches that learn what they use.
//
// Threads     any: items of a launch note what they name at once.
// Cost        a comparison for each axis where nothing is new.
#pragma once

#include <stretto/box.hpp>
#include <stretto/kernel_code.hpp>

#include <atomic>
#include <cstdint>
#include <limits>

namespace stretto {

struct touched_elements {
  explicit touched_elements(const box& own) noexcept : own(own) {}

  /// The least box with all of them; empty if there were none.
  box bounds() const;
  /// Whether one lay beyond `own` along two axes or more at once.
  bool has_corners() const noexcept { return corners.load(std::memory_order_relaxed); }

  const box own;  // what the items would use one to one
  std::atomic<std::int64_t> min[3] = {none, none, none}, max[3] = {-none, -none, -none};
  std::atomic<bool> corners = false;

  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
};

}  // namespace stretto
