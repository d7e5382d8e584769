// added_place.hpp - a place that the runtime adds to a platform: of a device, of a folder, of the memory of all nodes.
//
// Threads     pure.
#pragma once

#include <stretto/place.hpp>

#include <string>

namespace stretto::places {

/// Appends a place of that name and kind, which has no links yet. Throws P04 if the platform has one of that name.
place added_place(platform_description& to, std::string name, place_kind kind);

}  // namespace stretto::places
