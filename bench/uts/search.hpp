// search.hpp - times a search of the tree that the flags name, and checks its census.
//
// Threads     the search may use any number; `padded` gives each its own counters on its own cache
// lines.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/measure.hpp"
#include "uts/uts_tree.hpp"

namespace uts {

/// Counters of one worker, alone on two cache lines (the prefetcher fetches lines in pairs).
struct alignas(128) padded : census {};

inline census sum(const std::vector<padded>& parts) {
  census all;
  for (const padded& part : parts) all += part;
  return all;
}

inline void check(const published_tree& tree, const census& found) {
  bench::expect("number of nodes", found.nodes, tree.expected.nodes);
  if (tree.expected.leaves) bench::expect("number of leaves", found.leaves, tree.expected.leaves);
  if (tree.expected.depth) bench::expect("depth", found.depth, tree.expected.depth);
}

/// `search` takes a tree and returns its census. The figure is million nodes per second.
template <class Search>
bench::outcome measure(const bench::options& o, Search&& search) {
  const published_tree* named = find(o.tree);
  if (!named) throw std::invalid_argument("there is no published tree \"" + o.tree + "\"; T1 is one");
  const tree t(named->parameters);
  const bench::stopwatch clock;
  const census found = search(t);
  const double seconds = clock.seconds();
  check(*named, found);
  return {static_cast<double>(found.nodes) / seconds / 1e6, {{"seconds", seconds}}};
}

}  // namespace uts
