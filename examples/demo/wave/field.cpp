#include "demo/wave/field.hpp"

#include <algorithm>
#include <new>

namespace stretto::wave {
namespace {
constexpr std::align_val_t cache_line{64};
constexpr std::ptrdiff_t line_floats = 16;
}  // namespace

rectangle intersection(const rectangle& a, const rectangle& b) {
  return {std::max(a.row, b.row), std::min(a.row_end, b.row_end), std::max(a.column, b.column),
          std::min(a.column_end, b.column_end)};
}

void field::release::operator()(float* memory) const { ::operator delete[](memory, cache_line); }

field::field(extent size) {
  // One line of padding left of every row holds the left halo and keeps column 0 aligned; the line right of
  // it holds the right halo and keeps power-of-two rows from falling into one cache set.
  const auto body = (size.columns + halo + line_floats - 1) / line_floats * line_floats;
  const std::ptrdiff_t stride = line_floats + body;
  const std::size_t floats = std::size_t(size.rows + 2 * halo) * std::size_t(stride);
  memory_.reset(new (cache_line) float[floats]());
  view_ = {memory_.get() + halo * stride + line_floats, stride, size};
}

}  // namespace stretto::wave
