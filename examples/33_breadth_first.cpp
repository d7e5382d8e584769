// 33_breadth_first.cpp - breadth-first search of a random graph that is distributed over nodes.
//
// This application searches a graph whose vertices are distributed over mobile objects, one on each node. It shows
// irregular communication by messages, and a finish that knows when all messages of a level have been handled. It helps
// readers who work on graphs.
//
// Each object has the edges, parents and levels of its vertices. The objects draw edges and send them to their owners.
// Then, level after level, each object sends the vertices that it finds to their owners. A scale as argument, such as
// 18, makes a graph of 2^18 vertices and prints the speed of the search.
//
// Started alone, the program simulates a job of three nodes in one process. `stretto run -n 4 33_breadth_first` starts
// four processes instead.
//
// Source      Graph500: Kronecker graphs (A, B, C = 0.57, 0.19, 0.19; sixteen edges to a vertex), and the five rules
//             that its results keep.
//
// Output
//   4096 vertices, 65536 edges: 3329 are reached from vertex 1, in 5 levels
//   no cycle, levels one apart in the tree, at most one along every edge, all connected, edges of the graph: all hold
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

using vertex = std::uint32_t;
using edge = std::pair<vertex, vertex>;
unsigned scale = 12;
vertex vertices = 1u << scale, edges = 16 * vertices;
constexpr vertex none = ~0u;
bool is_timed = false;

/// The same edges on any number of nodes: each is drawn from its number.
edge edge_of(std::uint64_t number) {
  edge e{0, 0};
  std::uint64_t state = number * 0x9e3779b97f4a7c15 + 1;
  for (unsigned bit = 0; bit < scale; ++bit) {
    state += 0x9e3779b97f4a7c15;  // splitmix64: Steele, Lea, Flood
    std::uint64_t x = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    const double drawn = static_cast<double>((x ^ x >> 31) >> 11) * 0x1p-53;
    e.first |= static_cast<vertex>(drawn >= 0.76) << bit;
    e.second |= static_cast<vertex>((drawn >= 0.57 && drawn < 0.76) || drawn >= 0.95) << bit;
  }
  return e;
}

struct found {
  std::vector<vertex> parent, level;  // `none` where nothing leads
};

class part {
 public:
  part() = default;
  part(vertex first, vertex last) : first_(first), next_(last - first) {
    found_.parent.assign(last - first, none);
    found_.level.assign(last - first, none);
  }

  void know(const std::vector<mobile<part>>& all) { all_ = all; }
  /// Draws its share of the edges, and sends each to the owners of its two ends.
  void draw(std::uint64_t from, std::uint64_t to) const {
    std::vector<std::vector<edge>> of(all_.size());
    for (; from < to; ++from) {
      const edge e = edge_of(from);
      of[owner(e.first)].push_back(e);
      of[owner(e.second)].push_back({e.second, e.first});
    }
    for (std::size_t p = 0; p < of.size(); ++p) send(all_[p], call<&part::keep>(std::move(of[p])));
  }
  void keep(const std::vector<edge>& some) {
    for (const edge& e : some) next_[e.first - first_].push_back(e.second);
  }
  /// What others have found; the first to say so is the parent.
  void visit(const std::vector<edge>& some, vertex level) {
    for (const auto& [parent, v] : some) {
      if (found_.parent[v - first_] != none) continue;
      found_.parent[v - first_] = parent;
      found_.level[v - first_] = level;
      reached_[level % 2].push_back(v);
    }
  }
  /// Sends the neighbours of what was reached on that level, while others may send what is on the next one. Returns how
  /// much it was.
  std::size_t expand(vertex level) {
    std::vector<std::vector<edge>> of(all_.size());
    const std::vector<vertex> from = std::exchange(reached_[level % 2], {});
    for (const vertex v : from)
      for (const vertex w : next_[v - first_]) of[owner(w)].push_back({v, w});
    for (std::size_t p = 0; p < of.size(); ++p)
      if (!of[p].empty()) send(all_[p], call<&part::visit>(std::move(of[p]), level + 1));
    return from.size();
  }
  found result() const { return found_; }

  template <class Archive>
  friend void fields(Archive& a, archived<part, Archive>& p) {
    a(p.first_, p.next_, p.found_.parent, p.found_.level, p.reached_, p.all_);
  }

 private:
  std::size_t owner(vertex v) const { return static_cast<std::size_t>(v) * all_.size() / vertices; }

  vertex first_ = 0;
  std::vector<std::vector<vertex>> next_;
  found found_;
  std::array<std::vector<vertex>, 2> reached_;  // on even and on odd levels
  std::vector<mobile<part>> all_;
};
template <class Archive>
void fields(Archive& a, archived<found, Archive>& f) {
  a(f.parent, f.level);
}

/// The five rules, one after the other.
std::array<bool, 5> rules(const found& f, vertex root) {
  std::array<bool, 5> hold;
  hold.fill(true);
  std::vector<bool> by_edge(vertices);  // whether an edge of the graph leads to it from its parent
  for (vertex v = 0; v < vertices; ++v) {
    if (f.parent[v] == none) continue;
    vertex up = v, steps = 0;
    while (up != root && up != none && steps++ < vertices) up = f.parent[up];
    hold[0] = hold[0] && up == root;
    if (v == root) continue;
    hold[1] = hold[1] && f.level[v] == f.level[f.parent[v]] + 1;
  }
  for (std::uint64_t i = 0; i < edges; ++i) {
    const auto [a, b] = edge_of(i);
    const bool in = f.level[a] != none, other_in = f.level[b] != none;
    hold[3] = hold[3] && in == other_in;
    if (in && other_in) hold[2] = hold[2] && std::max(f.level[a], f.level[b]) - std::min(f.level[a], f.level[b]) <= 1;
    if (f.parent[a] == b) by_edge[a] = true;
    if (f.parent[b] == a) by_edge[b] = true;
  }
  for (vertex v = 0; v < vertices; ++v) hold[4] = hold[4] && (v == root || f.parent[v] == none || by_edge[v]);
  return hold;
}

void program() {
  if (this_node() != 0) return;  // the others serve, until the job is over
  const std::uint32_t nodes = job_nodes();
  const auto begin = [&](std::uint64_t n) {
    return static_cast<vertex>((n * vertices + nodes - 1) / nodes);
  };  // as owner() has it
  std::vector<mobile<part>> all;
  for (std::uint32_t n = 0; n < nodes; ++n)
    all.push_back(make_mobile<part>(at_node(n), name("part"), begin(n), begin(n + 1)));
  finish([&] {
    for (const auto& p : all) send(p, call<&part::know>(all));
  });
  finish([&] {
    for (std::uint64_t n = 0; n < nodes; ++n)
      send(all[n], call<&part::draw>(edges * n / nodes, edges * (n + 1) / nodes));
  });

  const vertex root = 1;
  const auto began = std::chrono::steady_clock::now();
  send(all[std::uint64_t{root} * nodes / vertices], call<&part::visit>(std::vector<edge>{{root, root}}, 0u)).get();
  std::size_t reached = 0;
  vertex levels = 0;
  for (std::size_t last = 1; last; ++levels) {
    last = 0;
    std::vector<future<std::size_t>> sent;
    finish([&] {
      for (const auto& p : all) sent.push_back(send(p, call<&part::expand>(levels)));
    });
    for (const auto& s : sent) last += s.get();
    reached += last;
  }

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();

  found whole;
  for (const auto& p : all) {
    const found f = send(p, call<&part::result>()).get();
    whole.parent.insert(whole.parent.end(), f.parent.begin(), f.parent.end());
    whole.level.insert(whole.level.end(), f.level.begin(), f.level.end());
    destroy(p);
  }
  std::printf("%u vertices, %u edges: %zu are reached from vertex %u, in %u levels\n", vertices, edges, reached, root,
              levels - 1);
  const auto hold = rules(whole, root);
  const char* const names[] = {"no cycle", "levels one apart in the tree", "at most one along every edge",
                               "all connected", "edges of the graph"};
  for (std::size_t i = 0; i < hold.size(); ++i)
    std::printf("%s%s%s", i ? ", " : "", names[i], hold[i] ? "" : " (NOT SO)");
  std::puts(std::ranges::all_of(hold, [](bool h) { return h; }) ? ": all hold" : "");
  if (is_timed) std::printf("%.1f million edges a second\n", 1e-6 * edges / seconds);
}

int main(int argc, char** argv) {
  if (argc > 1) {
    scale = static_cast<unsigned>(std::clamp(std::atoi(argv[1]), 2, 26));
    vertices = 1u << scale, edges = 16 * vertices, is_timed = true;
  }
  if (runtime rt; rt.nodes() > 1) {  // a launcher has started several processes
    rt.run(program);
    return 0;
  }
  simulated_job job({.nodes = 3});
  std::vector<std::thread> nodes;
  for (std::uint32_t n = 0; n < job.nodes(); ++n)
    nodes.emplace_back([&job, n] {
      runtime rt({.job = job.endpoint(n)});
      rt.run(program);
    });
  for (auto& t : nodes) t.join();
}
