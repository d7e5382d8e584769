#include "data/layout.hpp"

namespace stretto::data {

layout dense_layout(const box& box, unsigned dimensions, std::uint32_t element_bytes, axis_order order) noexcept {
  layout l{box, {0, 0, 0}, element_bytes};
  std::int64_t step = element_bytes;
  for (unsigned i = 0; i < dimensions; ++i) {
    const unsigned axis = order == axis_order::c ? dimensions - 1 - i : i;
    l.stride[axis] = step;
    step *= std::max<std::int64_t>(box.max()[axis] - box.min()[axis], 0);
  }
  return l;
}

bool is_dense(const layout& l, const box& part) noexcept {
  std::int64_t step = l.element_bytes;
  for (int a = max_axes; a-- > 0;) {
    if (part.length(a) != 1 && l.stride[a] != step) return false;
    step *= part.length(a);
  }
  return true;
}

byte_span span_of(const layout& l) noexcept {
  if (l.box.is_empty()) return {};
  byte_span s{0, l.element_bytes};
  for (int a = 0; a < 3; ++a) {
    const std::int64_t reach = (l.box.max()[a] - l.box.min()[a] - 1) * l.stride[a];
    (reach < 0 ? s.from : s.to) += reach;
  }
  return s;
}

bool is_injective(const layout& l) noexcept {
  struct axis {
    std::uint64_t step, count;
  };
  std::array<axis, 3> axes{};
  unsigned n = 0;
  for (int a = 0; a < 3; ++a) {
    if (l.box.max()[a] - l.box.min()[a] <= 1) continue;
    unsigned at = n++;
    const auto step = static_cast<std::uint64_t>(std::abs(l.stride[a]));
    for (; at > 0 && axes[at - 1].step > step; --at) axes[at] = axes[at - 1];
    axes[at] = {step, static_cast<std::uint64_t>(l.box.max()[a] - l.box.min()[a])};
  }
  std::uint64_t occupied = l.element_bytes;
  for (unsigned i = 0; i < n; ++i) {
    if (axes[i].step < occupied) return false;
    occupied += axes[i].step * (axes[i].count - 1);
  }
  return true;
}

bool is_beyond_addressing(const box& box, std::uint32_t element_bytes) noexcept {
  unsigned __int128 bytes = element_bytes;
  for (int a = 0; a < 3; ++a) {
    if (box.max()[a] <= box.min()[a]) return false;
    bytes *= static_cast<std::uint64_t>(box.max()[a]) - static_cast<std::uint64_t>(box.min()[a]);
    if (bytes >> 62) return true;
  }
  return false;
}

bool is_beyond_addressing(const box& box, std::uint32_t element_bytes, std::span<const std::int64_t> strides) noexcept {
  unsigned __int128 bytes = element_bytes;
  for (std::size_t a = 0; a < strides.size() && !box.is_empty(); ++a) {
    const auto steps = static_cast<std::uint64_t>(box.length(static_cast<int>(a)) - 1);
    const auto stride = strides[a] < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(strides[a])
                                       : static_cast<std::uint64_t>(strides[a]);
    const unsigned __int128 elements = static_cast<unsigned __int128>(steps) * stride;
    if (elements >> 62 || (bytes += elements * element_bytes) >> 62) return true;
  }
  return false;
}

}  // namespace stretto::data
