// divergence_report.hpp - where the programs of nodes diverge: the number of the call, and the different calls by group
// of nodes.
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
  std::uint64_t number = 0;  // number of the call, from 0
  bool is_first = true;      // false: an older call, no longer stored, was the first
  /// Nodes that made the same call.
  struct group {
    std::vector<std::uint32_t> nodes;  // ascending
    std::string what, where;           // where: empty if the source line is not known
    std::uint64_t after = 0;           // hash of all calls up to this one
  };
  std::vector<group> groups;  // largest group first; equal sizes in order of their first node
};

/// One call of one node.
struct call_of_node {
  std::uint32_t node = 0;
  std::string what, where;
  std::uint64_t after = 0;
};
/// Groups nodes by hash.
divergence_report divergence_report_of(std::uint64_t number, bool is_first, std::span<const call_of_node> calls);

/// B23.
error error_of(const divergence_report& d);

/// "node 2", "nodes 0, 1 and 5 to 9".
std::string text_of_nodes(std::span<const std::uint32_t> nodes);

}  // namespace stretto::buffers
