#include "bfs_graph.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <stdexcept>

namespace graph500 {
namespace {

constexpr int most_roots = 64;

// splitmix64: Steele, Lea, Flood, 2014.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

struct edge {
  vertex one, other;
};

edge drawn_edge(std::uint64_t number, int scale) {
  edge e{0, 0};
  std::uint64_t state = number * 0x9e3779b97f4a7c15 + 1;
  for (int bit = 0; bit < scale; ++bit) {
    state += 0x9e3779b97f4a7c15;
    const double drawn = static_cast<double>(mixed(state) >> 11) * 0x1p-53;
    e.one |= static_cast<vertex>(drawn >= 0.76) << bit;
    e.other |= static_cast<vertex>((drawn >= 0.57 && drawn < 0.76) || drawn >= 0.95) << bit;
  }
  return e;
}

// One to one on the numbers below 2^scale. Without it, vertices with many edges would have the same last bits.
vertex scrambled(vertex v, int scale) {
  const vertex mask = (vertex{1} << scale) - 1;
  for (const vertex odd : {0x9e3779b1u, 0x85ebca77u}) {
    v = v * odd & mask;
    v ^= v >> ((scale + 1) / 2);
  }
  return v;
}

}  // namespace

graph_part::graph_part(int scale, int part, int parts) : scale_(scale), part_(part), parts_(parts) {
  if (scale < 2 || scale > 26) throw std::invalid_argument("the scale is 2 to 26");
  const vertex vertices = vertex{1} << scale, most = (vertices + parts - 1) / parts;
  number_bits_ = std::bit_width(most - 1);
  std::vector<std::uint64_t> degrees(most + 1);
  draw([&](vertex from, vertex) { ++degrees[number(from) + 1]; });
  const vertex own = (vertices + parts - 1 - part) / parts;
  begins_.assign(degrees.begin(), degrees.begin() + own + 1);
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  neighbours_.resize(begins_.back());
  std::vector<std::uint64_t> next(begins_.begin(), begins_.end() - 1);
  draw([&](vertex from, vertex to) { neighbours_[next[number(from)]++] = to; });
  for (std::uint64_t i = 0; roots_.size() < most_roots && i < std::uint64_t{edges_per_vertex} * vertices; ++i) {
    const edge e = drawn_edge(mixed(i) % (std::uint64_t{edges_per_vertex} * vertices), scale_);
    if (e.one != e.other) roots_.push_back(name_of(e.one));
  }
}

vertex graph_part::name_of(vertex drawn) const {
  const vertex v = scrambled(drawn, scale_);
  return named(static_cast<int>(v % parts_), v / parts_);
}

template <class Take>
void graph_part::draw(Take take) const {
  const std::uint64_t edges = std::uint64_t{edges_per_vertex} << scale_;
  for (std::uint64_t i = 0; i < edges; ++i) {
    const edge e = drawn_edge(i, scale_);
    if (e.one == e.other) continue;
    const vertex one = name_of(e.one), other = name_of(e.other);
    if (owner(one) == part_) take(one, other);
    if (owner(other) == part_) take(other, one);
  }
}

search_tree::search_tree(const graph_part& g) : g_(g), parents_(g.capacity(), none), levels_(g.capacity(), none) {}

void search_tree::clear() {
  std::fill(parents_.begin(), parents_.end(), none);
  std::fill(levels_.begin(), levels_.end(), none);
}

std::uint64_t search_tree::edges_reached() const {
  std::uint64_t edges = 0;
  for (vertex v = 0; v < g_.size(); ++v)
    if (parents_[v] != none) edges += g_.neighbours(v).size();
  return edges;
}

broken_rules check(const graph_part& g, vertex root, std::span<const vertex> parents, std::span<const vertex> levels) {
  broken_rules broken{};
  for (vertex i = 0; i < g.size(); ++i) {
    const vertex v = g.named(g.part(), i);
    const auto near = g.neighbours(i);
    const bool is_reached = parents[v] != none;
    for (const vertex w : near) {
      broken[2] +=
          is_reached && parents[w] != none && std::max(levels[v], levels[w]) - std::min(levels[v], levels[w]) > 1;
      broken[3] += is_reached != (parents[w] != none);
    }
    if (v == root) broken[3] += !is_reached, broken[0] += parents[v] != v || levels[v] != 0;
    if (!is_reached || v == root) continue;
    // A walk to the root goes down in levels, and so has no cycle, if each step does.
    const vertex p = parents[v];
    const bool is_vertex = p < parents.size() && parents[p] != none;
    broken[0] += !is_vertex || levels[p] >= levels[v];
    broken[1] += !is_vertex || levels[p] + 1 != levels[v];
    broken[4] += std::find(near.begin(), near.end(), p) == near.end();
  }
  return broken;
}

}  // namespace graph500
