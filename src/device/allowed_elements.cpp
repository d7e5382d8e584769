#include "device/allowed_elements.hpp"

#include <stretto/kernel_code.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace stretto {
namespace {

constexpr std::size_t most_told = 4;

}  // namespace

std::string allowed_elements::text(int axes) const {
  std::string all;
  for (std::size_t i = 0; i < std::min(boxes.size(), most_told); ++i) {
    all += i == 0 ? "" : " and ";
    for (int a = 0; a < axes; ++a) all += fmt::format("{}[{}, {})", a ? " x " : "", boxes[i].min[a], boxes[i].max[a]);
  }
  return boxes.size() > most_told ? fmt::format("{} and {} more", all, boxes.size() - most_told) : all;
}

bool kernels::is_allowed(const allowed_elements& in, const std::int64_t* at, std::size_t axes) noexcept {
  return std::ranges::any_of(in.boxes, [&](const allowed_elements::one_box& b) {
    for (std::size_t a = 0; a < axes; ++a)
      if (at[a] < b.min[a] || at[a] >= b.max[a]) return false;
    return true;
  });
}

}  // namespace stretto
