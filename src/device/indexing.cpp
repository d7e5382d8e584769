#include "device/indexing.hpp"

#include <algorithm>
#include <limits>

#include "device/layout_of.hpp"

namespace stretto::device {

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

/// Whether the sums of an address computation fit into int in any order, for the array's elements and for coordinates
/// just outside.
bool adds_up_to_ints(const launch_argument& given, const kernel_parameter& p) noexcept {
  const array_layout layout = layout_of(given, p.element_bytes);
  const auto magnitude = [](std::int64_t x) {
    return x < 0 ? -static_cast<double>(x) : static_cast<double>(x);
  };  // nothing overflows
  double sum = magnitude(layout.offset);
  for (int a = 0; a < p.dimensions; ++a)
    sum += (1 + std::max(magnitude(given.is.min[a]), magnitude(given.is.max[a]))) * magnitude(layout.stride[a]);
  return sum <= static_cast<double>(most);
}

}  // namespace

indexing indexing_of(const kernel_code& code, const launch_range& range,
                     std::span<const launch_argument> arguments) noexcept {
  if (!range.ids_are_ints()) return indexing::any;
  indexing found = indexing::near;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const kernel_parameter& p = code.parameters[i];
    if (p.mode == access::value || p.mode == access::local) continue;
    if (arguments[i].is.stride[p.dimensions - 1] != 1) return indexing::any;
    if (!adds_up_to_ints(arguments[i], p)) found = indexing::dense;
  }
  return found;
}

}  // namespace stretto::device
