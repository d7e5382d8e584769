#include "platform/channel_registry.hpp"

#include <stretto/error.hpp>

namespace stretto::places {

void channel_registry::add(place_kind from, place_kind to, std::shared_ptr<channel> by) {
  auto& slot = table_[index(from, to)];
  if (slot)
    throw error("P18",
                "there are two channels from " + std::string(to_string(from)) + " to " + std::string(to_string(to)))
        .because("at most one channel may copy between two kinds of memory")
        .remedy("register one of them, or wrap both in a channel that selects one");
  slot = std::move(by);
}

std::vector<std::pair<place_kind, place_kind>> channel_registry::pairs() const {
  std::vector<std::pair<place_kind, place_kind>> found;
  for (std::size_t i = 0; i < table_.size(); ++i)
    if (table_[i])
      found.emplace_back(static_cast<place_kind>(i / place_kind_count), static_cast<place_kind>(i % place_kind_count));
  return found;
}

}  // namespace stretto::places
