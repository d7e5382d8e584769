// graph_plan.hpp - a graph's edges as flat arrays, which replays follow; and whether an edge would close a cycle.
//
// Pure: values in, values out.
// Cost        plan_of: linear in operations and edges, once per recording. find_path: what lies before `to`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stretto::sched {

/// Numbers of operations, of several in a row: those of operation i are at [first[i], first[i + 1]).
struct adjacency {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> numbers;

  std::span<const std::uint32_t> of(std::size_t i) const noexcept {
    return {numbers.data() + first[i], first[i + 1] - first[i]};
  }
};

struct graph_plan {
  adjacency predecessors;  // in the order in which they were given
  adjacency successors;    // ascending
  std::vector<std::uint32_t> roots;  // wait for nothing but the replay's own preconditions
  std::uint32_t sinks = 0;           // nothing waits for them: when all have ended, everything has
};

/// `predecessors[i]`: what operation i waits for; no cycles.
graph_plan plan_of(std::span<const std::vector<std::uint32_t>> predecessors);

/// Operations put together: those of a step start and end as one.
struct graph_steps {
  adjacency operations;  // of each step, each waiting for the one before; steps in the order of their first operations
  std::vector<std::vector<std::uint32_t>> predecessors;  // of each step, as steps
};

/// A step of more than one is a path of operations with the same mark, null not counting as one, along which nothing else waits
/// for any but the last, nor does any but the first wait for something else. So no step waits for longer than its operations did.
graph_steps steps_of(std::span<const std::vector<std::uint32_t>> predecessors, std::span<const void* const> marks);

/// Operations from `from` to `to`, both included, each waiting for the one before; empty if `to` does not wait for
/// `from`. {from} if they are the same.
std::vector<std::uint32_t> find_path(std::span<const std::vector<std::uint32_t>> predecessors, std::uint32_t from,
                                     std::uint32_t to);

}  // namespace stretto::sched
