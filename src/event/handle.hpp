// handle.hpp - the bits of an event handle: node 16, slot 27, generation 21.
//
// Threads     any: pure functions.
// Invariants  (1) bit 63 stays 0, so a dependency can tell a handle from a task: nodes are at most 0x7fff.
//             (2) generations start at 1, so no handle is 0: that is the default event.
#pragma once

#include <stretto/event.hpp>

namespace stretto::detail {

inline constexpr unsigned generation_bits = 21;
inline constexpr unsigned slot_bits = 27;
inline constexpr unsigned node_shift = generation_bits + slot_bits;
inline constexpr std::uint32_t first_generation = 1;
/// No event has this generation: a slot that has reached it is retired.
inline constexpr std::uint32_t last_generation = (1u << generation_bits) - 1;

constexpr std::uint16_t node_of(event e) noexcept { return static_cast<std::uint16_t>(e.raw() >> node_shift); }
constexpr std::uint32_t slot_of(event e) noexcept {
  return static_cast<std::uint32_t>(e.raw() >> generation_bits) & ((1u << slot_bits) - 1);
}
constexpr std::uint32_t generation_of(event e) noexcept {
  return static_cast<std::uint32_t>(e.raw()) & last_generation;
}
constexpr event handle_of(std::uint16_t node, std::uint32_t slot, std::uint32_t generation) noexcept {
  return event::from_raw(std::uint64_t{node} << node_shift | std::uint64_t{slot} << generation_bits | generation);
}

/// The bits of a dependency, to store it as a number.
constexpr std::uint64_t bits_of(dependency d) noexcept { return d.as_event().raw(); }
inline dependency from_bits(std::uint64_t bits) noexcept { return dependency(event::from_raw(bits)); }

}  // namespace stretto::detail
