// report.hpp - what a search found, held against the literature, and how fast it was.
//
// Threads     pure.
// Errors      W30 no such tree, W31 a count that is not the published one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "uts/uts_tree.hpp"

namespace uts {

struct report {
  published_tree tree;
  std::vector<census> by_worker;  // of one node after the other
  double seconds = 0;
  double serial_seconds = 0;              // of the search by one thread without tasks
  std::vector<std::size_t> workers = {};  // of each node, where there are several
  std::vector<std::uint64_t> given = {};  // and how many stacks it gave to others

  double million_nodes_per_second() const;
  double serial_million_nodes_per_second() const;
  /// Of the workers together, to the serial search times their number: 1 is a runtime that costs nothing.
  double ratio_per_worker() const;
};

/// The published tree of that name. throws W30 with the nearest name.
const published_tree& tree_named(std::string_view name);

/// throws W31 if a published count is not what was found. Counts that the literature does not give are not checked.
void check(const published_tree& tree, const census& found);

/// Several lines: counts, speed, and what each worker did.
std::string to_text(const report& r);

}  // namespace uts
