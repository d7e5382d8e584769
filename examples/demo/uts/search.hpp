// search.hpp - visits every node of an implicit tree; where others are idle, a search gives half of its nodes away.
//
// There is no cut-off by depth or size, for none is known beforehand: subtrees of brothers differ by a factor of a
// million. A task searches from a stack of its own, and asks should_split() at every node.
//
// Threads     called inside a run, on one node; returns when all tasks have ended.
// Cost        per node: one SHA-1 compression, a few additions to counters of the worker, a question. A task for each
//             time that a worker has nothing left to take.
// Source      the tree: bench/uts/uts_tree.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include <stretto/progress.hpp>

#include "uts/uts_tree.hpp"

namespace uts {

/// The counts of each worker.
///   shown   null, or told now and then how many nodes have been visited
std::vector<census> search_parallel(const tree& t, std::uint32_t workers, stretto::progress* shown = nullptr);

struct nodes_census {
  std::vector<std::vector<census>> by_worker;  // of each node
  std::vector<std::uint64_t> given;            // stacks that each node gave to others
};
/// The same by all workers of all nodes of the caller's job.
nodes_census search_over_nodes(const parameters& of);

census sum(const std::vector<census>& parts);

}  // namespace uts
