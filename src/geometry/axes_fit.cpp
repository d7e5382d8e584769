#include "geometry/axes_fit.hpp"

#include <algorithm>

namespace stretto::geometry {
namespace {

std::string count_of(int axes) { return std::to_string(axes) + (axes == 1 ? " axis" : " axes"); }

}  // namespace

int axes_of(const box& range) noexcept {
  int n = max_axes;
  while (n > 1 && range.min()[n - 1] == 0 && range.max()[n - 1] == 1) --n;
  return n;
}

std::optional<axes_fault> find_axes_fault(const box& range, int axes_known, const box& elements, int axes,
                                          const detail::mapper_form& by) {
  using kind = detail::mapper_form::kind;
  if (by.is == kind::unknown || range.is_empty() || elements.is_empty()) return std::nullopt;
  const int has = axes_of(range), known = std::max(has, axes_known);
  const bool is_slice = by.is == kind::slice;
  if (is_slice && (by.axis < 0 || by.axis >= axes))
    return axes_fault{"the array has " + count_of(axes) + ": there is none of number " + std::to_string(by.axis) +
                          " along which to take all elements",
                      "slice(n) with n below " + std::to_string(axes) + ", or all"};
  if (!is_slice && has > axes)
    return axes_fault{"the range has " + count_of(has) + " and the array " + std::to_string(axes) +
                          ": items that differ along the other axes would use the same elements",
                      "launch over a range of " + count_of(axes) + ", or name elements by a function of the part"};
  for (int a = 0; a < axes; ++a) {
    const int from = by.by[static_cast<std::size_t>(a)];
    if (from < known || (is_slice && a == by.axis)) continue;
    // The range is [0,1) along this axis: no fault if the array has no more elements there than the mapper names.
    const coordinate border = by.border[a];
    if (-border <= elements.min()[a] && elements.max()[a] <= 1 + border) continue;
    return axes_fault{
        "the range has " + count_of(has) + " and the array " + std::to_string(axes) + ": along axis " +
            std::to_string(a) + " of the array only coordinate 0 would be named",
        "launch over a range of " + count_of(axes) + ", or name whole rows: slice(" + std::to_string(a) + ")"};
  }
  return std::nullopt;
}

}  // namespace stretto::geometry
