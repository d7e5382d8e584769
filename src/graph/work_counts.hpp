// work_counts.hpp - how much a node has to do: commands and instructions by kind, and bytes that pass between nodes.
//
// Threads     a value.
// Cost        add: one look-up of a name for each command and instruction.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "graph/command.hpp"
#include "graph/instruction.hpp"

namespace stretto::graph {

struct work_counts {
  std::map<std::string_view, std::uint64_t> commands, instructions;  // by kind, as labels.hpp and instruction_labels.hpp name them
  std::uint64_t sent_bytes = 0, received_bytes = 0;

  void add(std::span<const command> all);
  /// `element_bytes` by id of buffer. What goes to several nodes is sent to each.
  void add(std::span<const instruction> all, std::span<const std::uint32_t> element_bytes);
  void add(const work_counts& other);
};

/// "25 (10 execute, 15 push)", "none".
std::string text_of(const std::map<std::string_view, std::uint64_t>& counted);

}  // namespace stretto::graph
