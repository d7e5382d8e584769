#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "campaign.hpp"
#include "sched/graph_plan.hpp"

using namespace stretto;
using namespace stretto::sched;
using edges = std::vector<std::vector<std::uint32_t>>;

TEST_CASE("a plan knows successors, roots and sinks") {
  const edges diamond{{}, {0}, {0}, {2, 1}};
  const graph_plan plan = plan_of(diamond);
  CHECK(std::ranges::equal(plan.successors.of(0), std::vector<std::uint32_t>{1, 2}));
  CHECK(std::ranges::equal(plan.successors.of(1), std::vector<std::uint32_t>{3}));
  CHECK(plan.successors.of(3).empty());
  CHECK(std::ranges::equal(plan.predecessors.of(3), std::vector<std::uint32_t>{2, 1}));  // as they were given
  CHECK(plan.roots == std::vector<std::uint32_t>{0});
  CHECK(plan.sinks == 1);
}

TEST_CASE("a plan of nothing is empty") {
  const graph_plan plan = plan_of({});
  CHECK(plan.roots.empty());
  CHECK(plan.sinks == 0);
}

TEST_CASE("predecessors and successors say the same, edge by edge, of any graph") {
  std::mt19937 random(7);
  for (int round = 0; round < test::scaled_of_one_thread(200, 20000); ++round) {
    const std::uint32_t n = 1 + random() % 30;
    edges before(n);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> forward, backward;
    for (std::uint32_t i = 1; i < n; ++i)
      for (std::uint32_t k = random() % 4; k-- > 0;) before[i].push_back(random() % i);
    const graph_plan plan = plan_of(before);
    std::uint32_t sinks = 0, roots = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      for (const auto p : plan.predecessors.of(i)) backward.emplace_back(p, i);
      for (const auto s : plan.successors.of(i)) forward.emplace_back(i, s);
      sinks += plan.successors.of(i).empty();
      roots += before[i].empty();
    }
    std::ranges::sort(forward);
    std::ranges::sort(backward);
    CHECK(forward == backward);
    CHECK(plan.sinks == sinks);
    CHECK(plan.roots.size() == roots);
  }
}

TEST_CASE("a path is found exactly where there is one, and each step on it is an edge") {
  std::mt19937 random(11);
  for (int round = 0; round < test::scaled_of_one_thread(100, 10000); ++round) {
    const std::uint32_t n = 2 + random() % 12;
    edges before(n);
    for (std::uint32_t i = 1; i < n; ++i)
      for (std::uint32_t k = random() % 3; k-- > 0;) before[i].push_back(random() % i);
    // reaches[a][b] by transitive closure, operation by operation.
    std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
    for (std::uint32_t b = 0; b < n; ++b) {
      reaches[b][b] = true;
      for (const auto p : before[b])
        for (std::uint32_t a = 0; a < n; ++a)
          if (reaches[a][p]) reaches[a][b] = true;
    }
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t b = 0; b < n; ++b) {
        const auto path = find_path(before, a, b);
        CHECK(path.empty() == !reaches[a][b]);
        if (path.empty()) continue;
        CHECK(path.front() == a);
        CHECK(path.back() == b);
        for (std::size_t k = 1; k < path.size(); ++k)
          CHECK(std::ranges::find(before[path[k]], path[k - 1]) != before[path[k]].end());
      }
  }
}
