#include "platform/added_place.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <utility>

namespace stretto::places {

place added_place(platform_description& to, std::string name, place_kind kind) {
  const auto same = std::ranges::find(to.places, name, &place_description::name);
  if (same != to.places.end())
    throw error("P04", "the platform has a place \"" + name + "\", but the runtime adds a place with the same name")
        .fact("added", std::string(to_string(kind)))
        .fact("declared", std::string(to_string(same->kind)))
        .because("names of places are unique")
        .remedy("give the place another name in the platform file");
  to.places.push_back({});
  to.places.back().name = std::move(name);
  to.places.back().kind = kind;
  return {static_cast<std::uint32_t>(to.places.size() - 1)};
}

}  // namespace stretto::places
