// divergence_report.hpp - where the programs of nodes part: the call on buffers, and what it is on which node; as an error, and as words.
//
// Threads     a value.
#pragma once

#include <stretto/error.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stretto::buffers {

struct divergence_report {
  std::uint64_t number = 0;  // of the call, from 0 on
  bool is_first = true;      // false: an older one is, which is not remembered
  /// Nodes that are alike there.
  struct group {
    std::vector<std::uint32_t> nodes;  // ascending
    std::string what, where;           // where: empty where there is no line
    std::uint64_t after = 0;           // hash of all that was done up to there
  };
  std::vector<group> groups;  // most nodes first; of as many, that with the first node
};

/// What a node does at a call.
struct call_of_node {
  std::uint32_t node = 0;
  std::string what, where;
  std::uint64_t after = 0;
};
/// Nodes with the same hash become a group.
divergence_report divergence_report_of(std::uint64_t number, bool is_first, std::span<const call_of_node> calls);

/// B23.
error error_of(const divergence_report& d);

/// "node 2", "nodes 0, 1 and 5 to 9".
std::string text_of_nodes(std::span<const std::uint32_t> nodes);

}  // namespace stretto::buffers
