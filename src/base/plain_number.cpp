#include "base/plain_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stretto::base {

std::string plain_number(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  const int before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  const int behind_point = std::max(0, digits - before_point);
  std::string text = fmt::format("{:.{}f}", value, behind_point);
  if (behind_point) text.erase(std::max(text.find_last_not_of('0') + 1, text.find('.')));
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace stretto::base
