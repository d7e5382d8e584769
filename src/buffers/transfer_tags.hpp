// transfer_tags.hpp - tags under which nodes post the receives of tasks.
//
// Threads     pure.
#pragma once

#include <cstdint>

#include "graph/instruction.hpp"

namespace stretto::buffers {

/// A tag has the number of the task from bit 24 on, 8 bits for the transfer's slot, and 16 bits for the sender. It has
/// space for tasks up to 2^39 with 256 transfers each. All tags of later tasks are larger.
constexpr std::uint64_t first_tag_of(std::uint64_t task) noexcept { return task << 24; }
inline std::uint64_t tag_of(const graph::transfer_id& c) noexcept {
  return first_tag_of(c.of.number) | std::uint64_t{c.slot} << 16 | c.from;
}

}  // namespace stretto::buffers
