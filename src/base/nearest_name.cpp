#include "base/nearest_name.hpp"

#include <algorithm>
#include <vector>

namespace stretto::base {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row_before_last(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], row_before_last[j - 2] + 1);
    }
    row_before_last.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view typed, std::span<const std::string> names) {
  const std::string* best = nullptr;
  std::size_t fewest = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const auto& name : names)
    if (const auto n = edit_distance(typed, name); n < fewest) fewest = n, best = &name;
  if (!best) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> names) {
  const auto name = nearest_name(typed, names);
  return name ? "did you mean \"" + *name + "\"?" : std::string();
}

}  // namespace stretto::base
