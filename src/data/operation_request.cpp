#include "data/operation_request.hpp"

namespace stretto::data {

std::string describe(const operation_kind& kind, std::span<const detail::instance_handle> used) {
  std::string text = kind.verb;
  if (used.size() > 1) text += " of " + detail::describe(*used[1].record);
  if (!used.empty()) text += " to " + detail::describe(*used[0].record);
  return text;
}

}  // namespace stretto::data
