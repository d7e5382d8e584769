#include "data/operation_request.hpp"

#include <stretto/error.hpp>

namespace stretto::data {

std::string describe(const operation_kind& kind, std::span<const detail::instance_handle> used) {
  std::string text = kind.verb;
  if (used.size() > 1) text += " of " + detail::describe(*used[1].record);
  if (!used.empty()) text += " to " + detail::describe(*used[0].record);
  return text;
}

void require_alive(const operation_request& r) {
  for (unsigned i = 0; i < r.used_count; ++i) {
    const detail::instance_handle& h = r.used[i];
    if (h.record->live.load(std::memory_order_acquire) == h.key) continue;
    throw error("D08", std::string(r.kind->verb) + " started after an instance that it uses was destroyed")
        .fact("submitted", r.where)
        .fact("instance", i == 0 ? "the one that it writes" : "one that it reads")
        .because("the destruction did not wait for it")
        .remedy("pass the operation's event to destroy: x.destroy(after(event))");
  }
}

}  // namespace stretto::data
