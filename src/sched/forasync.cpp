#include <stretto/forasync.hpp>

#include <algorithm>
#include <stretto/error.hpp>

#include "sched/scheduler.hpp"

namespace stretto::detail {

halves halve(const box& whole, const point& origin, const extent& grain) noexcept {
  int axis = -1;
  coordinate most = 1;
  for (int i = 0; i < max_axes; ++i) {
    const auto grains = (whole.length(i) + grain[i] - 1) / grain[i];
    if (grains > most) most = grains, axis = i;
  }
  if (axis < 0) return {whole, box()};
  const coordinate from = whole.min()[axis] - origin[axis];
  const coordinate middle = (from + whole.length(axis) / 2 + grain[axis] - 1) / grain[axis] * grain[axis];
  const coordinate cut = std::clamp(middle, from + 1, from + whole.length(axis) - 1) + origin[axis];
  point end = whole.max(), start = whole.min();
  end[axis] = cut;
  start[axis] = cut;
  return {box::between(whole.min(), end), box::between(start, whole.max())};
}

extent default_grain(const box& domain) {
  const auto& t = static_cast<const sched::thread_state&>(base::require_current("forasync"));
  const auto chunks = static_cast<coordinate>(t.owner->workers.size() * 8);
  extent grain;
  // Whole rows stay together: the last axes first.
  coordinate left = std::max<coordinate>(1, static_cast<coordinate>(domain.volume()) / chunks);
  for (int axis = max_axes - 1; axis >= 0; --axis) {
    grain[axis] = std::clamp<coordinate>(left, 1, std::max<coordinate>(1, domain.length(axis)));
    left = std::max<coordinate>(1, left / grain[axis]);
  }
  return grain;
}

void refuse_grain(const extent& grain, const std::source_location& where) {
  throw error("S09", "a loop's grain is " + std::to_string(grain[0]) + " x " + std::to_string(grain[1]) + " x " +
                         std::to_string(grain[2]) + ", but must be at least 1 on every axis")
      .fact("called", where)
      .remedy("omit the grain; the default is about eight chunks per worker");
}

}  // namespace stretto::detail
