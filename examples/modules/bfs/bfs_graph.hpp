// bfs_graph.hpp - the graph of Graph500 and the search tree, in parts, with the kernel of the search and the rules of
// its result, for all versions of the program.
//
// Vertices are spread over the processes (parts). The name of a vertex has its owner in the upper bits, and its number
// there in the lower ones.
//
// Threads     visit and expand: any thread. The others: one thread, with no search under way.
// Invariants  the graph is the same for any number of parts, except for the names of vertices.
// Source      the specification of Graph500: Kronecker graphs with A, B, C = 0.57, 0.19, 0.19, sixteen edges to a
// vertex,
//             and the five rules that a result keeps.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace graph500 {

using vertex = std::uint32_t;
inline constexpr vertex none = ~vertex{0};
inline constexpr int edges_per_vertex = 16;
inline constexpr std::size_t most_discoveries = 2048;  // of a message

/// A vertex that may have been found: its number at its owner, and the vertex that leads to it.
struct discovery {
  vertex number;
  vertex parent;
};

class graph_part {
 public:
  /// Draws all edges and keeps those of its own vertices. 2 <= scale <= 26.
  graph_part(int scale, int part, int parts);

  int part() const { return part_; }
  int parts() const { return parts_; }
  int scale() const { return scale_; }
  /// Numbers of vertices that a part has at most.
  vertex capacity() const { return vertex{1} << number_bits_; }
  /// Own vertices.
  vertex size() const { return static_cast<vertex>(begins_.size() - 1); }

  int owner(vertex v) const { return static_cast<int>(v >> number_bits_); }
  vertex number(vertex v) const { return v & (capacity() - 1); }
  vertex named(int owner, vertex number) const { return static_cast<vertex>(owner) << number_bits_ | number; }
  std::span<const vertex> neighbours(vertex number) const {
    return {neighbours_.data() + begins_[number], begins_[number + 1] - begins_[number]};
  }

  /// Vertices to begin searches at, which have an edge to another vertex: the same for all parts.
  const std::vector<vertex>& roots() const { return roots_; }

 private:
  template <class Take>
  void draw(Take take) const;
  vertex name_of(vertex drawn) const;

  int scale_, part_, parts_, number_bits_;
  std::vector<std::uint64_t> begins_;
  std::vector<vertex> neighbours_;
  std::vector<vertex> roots_;
};

/// The part of the search tree for the vertices of one part of the graph.
class search_tree {
 public:
  explicit search_tree(const graph_part& g);

  void clear();
  /// Enters the vertex unless it has been found before.
  bool visit(vertex number, vertex parent, vertex level) {
    std::atomic_ref entered(parents_[number]);
    vertex expected = none;
    if (entered.load(std::memory_order_relaxed) != none) return false;
    if (!entered.compare_exchange_strong(expected, parent, std::memory_order_relaxed)) return false;
    levels_[number] = level;
    return true;
  }
  /// Visits the own neighbours of a vertex, adds those that are new to `next`, and calls send(owner, discovery) for
  /// neighbours of other parts.
  template <class Send>
  void expand(vertex number, vertex level, std::vector<vertex>& next, Send&& send) {
    const vertex parent = g_.named(g_.part(), number);
    for (const vertex v : g_.neighbours(number))
      if (const int owner = g_.owner(v); owner != g_.part()) send(owner, discovery{g_.number(v), parent});
      else if (visit(g_.number(v), parent, level)) next.push_back(g_.number(v));
  }

  /// Of all numbers up to the capacity of a part.
  const std::vector<vertex>& parents() const { return parents_; }
  const std::vector<vertex>& levels() const { return levels_; }
  /// The edges of the own vertices that were reached, each counted at both of its ends.
  std::uint64_t edges_reached() const;

 private:
  const graph_part& g_;
  std::vector<vertex> parents_, levels_;
};

/// The rules: a tree without cycles, levels one apart along its edges and at most one along all, which spans what is
/// connected to the root, of edges of the graph.
using broken_rules = std::array<long, 5>;
/// How often the own vertices break each rule. The parents and levels are those of all parts, one behind the other.
broken_rules check(const graph_part& g, vertex root, std::span<const vertex> parents, std::span<const vertex> levels);

}  // namespace graph500
