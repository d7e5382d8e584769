// graph_plan.hpp - a recorded graph's edges as flat arrays, which replays follow; and the search for cycles.
//
// Pure: values in, values out.
// Cost        plan_of: linear in operations and edges, once per recording. find_path: the predecessors of `to`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stretto::sched {

/// One list of operation numbers per operation; the list of operation i is at [first[i], first[i + 1]).
struct adjacency {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> numbers;

  std::span<const std::uint32_t> of(std::size_t i) const noexcept {
    return {numbers.data() + first[i], first[i + 1] - first[i]};
  }
};

struct graph_plan {
  adjacency predecessors;            // in the order in which they were given
  adjacency successors;              // ascending
  std::vector<std::uint32_t> roots;  // without predecessors: they wait for the replay's own preconditions only
  std::uint32_t sinks = 0;           // operations without successors: once all of them have ended, everything has
};

/// `predecessors[i]`: the operations that operation i waits for; no cycles.
graph_plan plan_of(std::span<const std::vector<std::uint32_t>> predecessors);

/// Operations joined into steps: the operations of a step start and end together.
struct graph_steps {
  adjacency operations;  // of each step, each waiting for the one before; steps in the order of their first operations
  std::vector<std::vector<std::uint32_t>> predecessors;  // of each step, as steps
};

/// A step of several operations is a path of operations with the same mark that is not null. Only its first operation
/// waits for others, and others wait only for its last. So joining delays no operation.
graph_steps steps_of(std::span<const std::vector<std::uint32_t>> predecessors, std::span<const void* const> marks);

/// A path of operations from `from` to `to`, both included, each waiting for the one before. Empty if `to` does not
/// wait for `from`; {from} if they are the same.
std::vector<std::uint32_t> find_path(std::span<const std::vector<std::uint32_t>> predecessors, std::uint32_t from,
                                     std::uint32_t to);

}  // namespace stretto::sched
