#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "campaign.hpp"
#include "sched/graph_plan.hpp"

using namespace stretto;
using sched::find_path;
using sched::graph_plan;
using sched::graph_steps;
using sched::plan_of;
using sched::steps_of;
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

TEST_CASE("consecutive operations with one mark form a step, as long as no other operation comes in between") {
  const int one = 0, other = 0;
  const void* const a = &one;
  const void* const b = &other;
  //   0 - 1 - 2 - 3 - 4     5 - 6      3 has another mark, 6 waits for 2 and 5, 7 for nothing
  const edges before{{}, {0}, {1}, {2}, {3}, {}, {5, 2}, {}};
  const graph_steps s = steps_of(before, std::vector<const void*>{a, a, a, b, a, a, a, nullptr});
  const auto step = [&](std::size_t i) {
    return std::vector<std::uint32_t>(s.operations.of(i).begin(), s.operations.of(i).end());
  };
  REQUIRE(s.predecessors.size() == 6);
  CHECK(step(0) == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(step(1) == std::vector<std::uint32_t>{3});
  CHECK(step(2) == std::vector<std::uint32_t>{4});
  CHECK(step(3) == std::vector<std::uint32_t>{5});
  CHECK(step(4) == std::vector<std::uint32_t>{6});
  CHECK(step(5) == std::vector<std::uint32_t>{7});
  CHECK(s.predecessors == edges{{}, {0}, {1}, {}, {3, 0}, {}});
}

TEST_CASE("steps hold every operation once, wait for what their operations wait for, and have no cycle, of any graph") {
  std::mt19937 random(23);
  const int marks[2] = {};
  for (int round = 0; round < test::scaled_of_one_thread(300, 20000); ++round) {
    const std::uint32_t n = 1 + random() % 20;
    // Edges follow an order that differs from the order of numbers.
    std::vector<std::uint32_t> order(n);
    for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
    std::ranges::shuffle(order, random);
    edges before(n);
    for (std::uint32_t i = 1; i < n; ++i)
      for (std::uint32_t k = random() % 3; k-- > 0;)
        before[order[i]].push_back(order[random() % 2 ? i - 1 : random() % i]);
    std::vector<const void*> marked(n);
    for (const void*& m : marked) m = random() % 4 ? &marks[random() % 8 == 0] : nullptr;
    const graph_steps s = steps_of(before, marked);
    std::vector<std::uint32_t> step_of(n, ~0u);
    std::uint32_t seen = 0;
    for (std::uint32_t i = 0; i < s.predecessors.size(); ++i) {
      const auto members = s.operations.of(i);
      REQUIRE_FALSE(members.empty());
      for (std::size_t k = 0; k < members.size(); ++k) {
        CHECK(step_of[members[k]] == ~0u);
        step_of[members[k]] = i;
        ++seen;
        if (k == 0) continue;
        CHECK(before[members[k]] == std::vector<std::uint32_t>{members[k - 1]});
        CHECK(marked[members[k]] == marked[members[0]]);
        CHECK(marked[members[k]] != nullptr);
      }
    }
    CHECK(seen == n);
    for (std::uint32_t i = 0; i < n; ++i) {
      for (const std::uint32_t p : before[i]) {
        if (step_of[p] == step_of[i]) continue;
        CHECK(p == s.operations.of(step_of[p]).back());
        CHECK(std::ranges::count(s.predecessors[step_of[i]], step_of[p]) > 0);
      }
    }
    // A graph without a cycle can be removed operation by operation, from its roots on.
    std::vector<std::size_t> missing;
    for (const auto& b : s.predecessors) missing.push_back(b.size());
    const graph_plan plan = plan_of(s.predecessors);
    std::vector<std::uint32_t> open = plan.roots;
    std::size_t taken = 0;
    while (!open.empty()) {
      const std::uint32_t i = open.back();
      open.pop_back();
      ++taken;
      for (const std::uint32_t next : plan.successors.of(i))
        if (--missing[next] == 0) open.push_back(next);
    }
    CHECK(taken == s.predecessors.size());
  }
}
