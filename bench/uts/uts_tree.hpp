// uts_tree.hpp - the trees of Unbalanced Tree Search: implicit, deep, and impossible to balance
// beforehand.
//
// A node is a 20-byte SHA-1 state and a depth; children are made from their parent alone, so any
// worker can expand any node. A search visits every node and must count what the literature counts.
//
// Threads     a tree is immutable after construction; every member may be called from any thread.
// Cost        child: one SHA-1 compression. num_children: one or two logarithms, or none.
// Invariants  (1) the node count, depth and leaf count of a published tree are those of the literature. (2) all systems
//             under test call this same compiled code.
// Source      Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006, and the public sample trees of
//             that benchmark; only the definitions are followed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "uts/sha1.hpp"

namespace uts {

enum class kind { binomial, geometric, hybrid };
enum class shape { linear, exponential_decrease, cyclic, fixed };

/// The parameters of a tree, with the names of the literature's flags in brackets.
struct parameters {
  uts::kind kind = kind::geometric;        ///< [-t]
  uts::shape shape = shape::linear;        ///< [-a] how the branching factor falls with the depth
  int max_depth = 6;                       ///< [-d] of the geometric part
  double root_branching = 4;               ///< [-b]
  int seed = 0;                            ///< [-r]
  double inner_probability = 15.0 / 64.0;  ///< [-q] that a binomial node has children
  int inner_children = 4;                  ///< [-m] how many it then has
  double shift = 0.5;                      ///< [-f] hybrid: binomial from this fraction of max_depth
};

struct node {
  digest state;
  std::int32_t depth;
};

/// The counts of a search; two partial searches add up.
struct census {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::int32_t depth = 0;  ///< deepest node seen; the root is at 0

  void visit(const node& visited, int children) {
    ++nodes;
    leaves += (children == 0);
    if (visited.depth > depth) depth = visited.depth;
  }
  census& operator+=(const census& other);
  friend bool operator==(const census&, const census&) = default;
};

class tree {
 public:
  explicit tree(const parameters&);

  node root() const;
  /// 0 to 100, and floor(root_branching) at the root of a binomial tree.
  int num_children(const node&) const;
  node child(const node& parent, int index) const { return {sha1(parent.state, index), parent.depth + 1}; }

 private:
  int binomial(const node&) const;
  int geometric(const node&) const;
  double branching(int depth) const;

  parameters is_;
  int binomial_from_;                // depth at which hybrid turns binomial
  std::vector<double> log_no_more_;  // by depth: log(1 - p) with p = 1 / (1 + branching)
};

struct published_tree {
  std::string_view name;
  uts::parameters parameters;
  census expected;  ///< leaves and depth 0 where the literature gives none
};

/// T1 to T5, T1L, T2L, T3L, T1XL, T1XXL, T3XXL.
std::span<const published_tree> published();

/// Null if there is no tree of that name; names are matched exactly.
const published_tree* find(std::string_view name);

/// Depth first, one thread, explicit stack: the reference for every other search.
census search_serial(const tree&);

}  // namespace uts
