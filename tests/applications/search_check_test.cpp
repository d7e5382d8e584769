#include <doctest/doctest.h>

#include <algorithm>
#include <queue>

#include "modules/bfs/bfs_graph.hpp"

using namespace graph500;

namespace {

// A search of the whole graph, by a queue.
struct searched {
  graph_part g{8, 0, 1};
  vertex root = g.roots().front();
  std::vector<vertex> parents = std::vector<vertex>(g.capacity(), none), levels = parents;

  searched() {
    parents[root] = root, levels[root] = 0;
    std::queue<vertex> open({root});
    for (; !open.empty(); open.pop())
      for (const vertex w : g.neighbours(open.front()))
        if (parents[w] == none) parents[w] = open.front(), levels[w] = levels[open.front()] + 1, open.push(w);
  }
  broken_rules check() const { return graph500::check(g, root, parents, levels); }
  vertex at_level(vertex level) const {
    return static_cast<vertex>(std::find(levels.begin(), levels.end(), level) - levels.begin());
  }
};

}  // namespace

TEST_CASE("a right search keeps all rules") { CHECK(searched().check() == broken_rules{}); }

TEST_CASE("a cycle of parents is found") {
  searched s;
  const vertex one = s.at_level(1), two = s.at_level(2);
  s.parents[one] = two, s.parents[two] = one;
  CHECK(s.check()[0] > 0);
}

TEST_CASE("a level that is not one more than that of the parent is found") {
  searched s;
  ++s.levels[s.at_level(2)];
  CHECK(s.check()[1] > 0);
}

TEST_CASE("an edge between levels that are not neighbours is found") {
  searched s;
  s.levels[s.at_level(1)] += 5;
  CHECK(s.check()[2] > 0);
}

TEST_CASE("a vertex that was not reached is found") {
  searched s;
  const vertex last = s.at_level(2);
  s.parents[last] = none;
  CHECK(s.check()[3] > 0);
}

TEST_CASE("a parent without an edge is found") {
  searched s;
  const vertex two = s.at_level(2);
  const auto near = s.g.neighbours(two);
  for (vertex v = 0; v < s.g.size(); ++v)
    if (s.levels[v] == 1 && std::find(near.begin(), near.end(), v) == near.end()) s.parents[two] = v;
  CHECK(s.check() == broken_rules{0, 0, 0, 0, 1});
}

TEST_CASE("a root that is not its own parent is found") {
  searched s;
  s.parents[s.root] = s.at_level(1);
  CHECK(s.check()[0] > 0);
}

TEST_CASE("parts have all edges of the graph, each at both of its ends") {
  const graph_part whole(8, 0, 1);
  std::size_t ends = 0, vertices = 0;
  for (vertex v = 0; v < whole.size(); ++v) ends += whole.neighbours(v).size();
  for (const int parts : {2, 3, 4}) {
    std::size_t in_parts = 0;
    vertices = 0;
    for (int part = 0; part < parts; ++part) {
      const graph_part g(8, part, parts);
      vertices += g.size();
      for (vertex v = 0; v < g.size(); ++v) in_parts += g.neighbours(v).size();
      CHECK(g.roots() == graph_part(8, 0, parts).roots());
    }
    CHECK(in_parts == ends);
    CHECK(vertices == 256);
  }
}
