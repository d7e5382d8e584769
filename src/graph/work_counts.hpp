// work_counts.hpp - counts of a node's work: commands and instructions by kind, and bytes transferred between nodes.
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
  // by kind, as named in labels.hpp and instruction_labels.hpp
  std::map<std::string_view, std::uint64_t> commands, instructions;
  std::uint64_t sent_bytes = 0, received_bytes = 0;

  void add(std::span<const command> all);
  /// `element_bytes`: by buffer id. A send to several nodes counts once for each.
  void add(std::span<const instruction> all, std::span<const std::uint32_t> element_bytes);
  void add(const work_counts& other);
};

/// "25 (10 execute, 15 push)", "none".
std::string text_of(const std::map<std::string_view, std::uint64_t>& counted);

}  // namespace stretto::graph
