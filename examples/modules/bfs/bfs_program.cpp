#include "bfs_program.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace graph500 {
namespace {

int report(const char* version, const graph_part& g, const broken_rules& broken, const std::vector<double>& rates) {
  const bool is_right = std::all_of(broken.begin(), broken.end(), [](long n) { return n == 0; });
  if (g.part() != 0) return is_right ? 0 : 1;
  std::printf("Graph500, %s: %d processes, 2^%d vertices, %d edges to each\n", version, g.parts(), g.scale(),
              edges_per_vertex);
  if (!is_right) {
    std::printf("wrong: the rules are broken %ld, %ld, %ld, %ld and %ld times\n", broken[0], broken[1], broken[2],
                broken[3], broken[4]);
    return 1;
  }
  double inverse = 0;
  for (const double rate : rates) inverse += 1 / rate;
  std::printf("verified: %zu searches keep the five rules\nTEPS: %.6g, harmonic mean\n", rates.size(),
              static_cast<double>(rates.size()) / inverse);
  return 0;
}

}  // namespace

arguments arguments::parse(int argc, char** argv) {
  arguments a;
  if (argc > 1) a.scale = std::atoi(argv[1]);
  if (argc > 2) a.roots = std::clamp(std::atoi(argv[2]), 1, 64);
  return a;
}

int run(const char* version, const arguments& given, const graph_part& g, search_tree& tree, const collectives& all,
        const std::function<void(vertex root)>& search) {
  broken_rules broken{};
  std::vector<double> rates;
  for (int i = 0; i < given.roots; ++i) {
    const vertex root = g.roots().at(i);
    tree.clear();
    all.barrier();
    const auto start = std::chrono::steady_clock::now();
    search(root);
    all.barrier();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    rates.push_back(static_cast<double>(all.sum(static_cast<long>(tree.edges_reached()))) / 2 / time.count());
    const broken_rules mine = check(g, root, all.gather(tree.parents()), all.gather(tree.levels()));
    for (std::size_t rule = 0; rule < broken.size(); ++rule) broken[rule] += all.sum(mine[rule]);
  }
  return report(version, g, broken, rates);
}

}  // namespace graph500
