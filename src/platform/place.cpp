#include <stretto/place.hpp>

#include <array>

namespace stretto {
namespace {

constexpr std::array<std::string_view, place_kind_count> kind_words{"core",
                                                                    "l1",
                                                                    "l2",
                                                                    "l3",
                                                                    "l4",
                                                                    "l5",
                                                                    "numa",
                                                                    "package",
                                                                    "system_memory",
                                                                    "pinned_memory",
                                                                    "gpu",
                                                                    "gpu_memory",
                                                                    "global_memory",
                                                                    "interconnect",
                                                                    "storage",
                                                                    "other"};

}  // namespace

std::string_view to_string(place_kind kind) noexcept { return kind_words[static_cast<std::size_t>(kind)]; }

std::optional<place_kind> place_kind_named(std::string_view word) noexcept {
  for (std::size_t i = 0; i < place_kind_count; ++i)
    if (kind_words[i] == word) return static_cast<place_kind>(i);
  return std::nullopt;
}

}  // namespace stretto
