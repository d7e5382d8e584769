// ids.hpp - identifiers of tasks, commands, instructions, allocations and buffers: numbers in order of creation.
#pragma once

#include <compare>
#include <cstdint>

namespace stretto::graph {

/// Ids only grow, so "older than that horizon" is one comparison.
struct task_id {
  std::uint64_t number = 0;  // 0: the initial epoch
  friend constexpr auto operator<=>(const task_id&, const task_id&) = default;
};
struct command_id {
  std::uint64_t number = 0;  // of this node; 0: its first epoch
  friend constexpr auto operator<=>(const command_id&, const command_id&) = default;
};
struct instruction_id {
  std::uint64_t number = 0;  // of this node; 0: its first epoch
  friend constexpr auto operator<=>(const instruction_id&, const instruction_id&) = default;
};
/// Storage of a box of a buffer's elements in one memory of this node.
struct allocation_id {
  std::uint64_t number = 0;  // 0: none
  friend constexpr auto operator<=>(const allocation_id&, const allocation_id&) = default;
};
struct buffer_id {
  std::uint32_t number = 0;
  friend constexpr auto operator<=>(const buffer_id&, const buffer_id&) = default;
};
using node_number = std::uint32_t;

}  // namespace stretto::graph
