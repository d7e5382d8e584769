// search_test.cpp - a search by tasks counts what a serial one does, with any number of workers.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>
#include <random>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include "campaign.hpp"
#include "demo/uts/report.hpp"
#include "demo/uts/search.hpp"
#include "dist/simulated.hpp"

namespace {

std::vector<uts::census> search(const uts::tree& t, std::uint32_t workers) {
  stretto::runtime rt({.workers = workers});
  return rt.run([&] { return uts::search_parallel(t, rt.workers()); });
}

/// By the nodes of a simulated job; the first asks.
uts::nodes_census on_nodes(const uts::parameters& of, std::uint32_t nodes, std::uint32_t workers) {
  uts::nodes_census found;
  stretto::test::on_all_nodes({.nodes = nodes, .seed = static_cast<std::uint64_t>(of.seed)}, workers,
                              [&](stretto::runtime&) {
                                if (stretto::this_node() == 0) found = uts::search_over_nodes(of);
                              });
  return found;
}

uts::census sum(const uts::nodes_census& found) {
  uts::census all;
  for (const auto& node : found.by_worker) all += uts::sum(node);
  return all;
}

}  // namespace

TEST_CASE("the published tree T1 has its published counts with one, two and four workers") {
  const auto& named = uts::tree_named("T1");
  for (std::uint32_t workers : {1u, 2u, 4u}) {
    const auto parts = search(uts::tree(named.parameters), workers);
    CHECK(parts.size() == workers);
    CHECK(uts::sum(parts) == named.expected);
  }
}

TEST_CASE("the published tree T3, whose deepest node is 1572 below the root, has its published counts") {
  const auto& named = uts::tree_named("T3");
  CHECK(uts::sum(search(uts::tree(named.parameters), 2)) == named.expected);
}

TEST_CASE("several nodes find the published counts of T1 and T3 together, and all of them search") {
  for (const char* name : {"T1", "T3"}) {
    const auto& named = uts::tree_named(name);
    const auto found = on_nodes(named.parameters, 3, 2);
    CHECK(sum(found) == named.expected);
    for (const auto& node : found.by_worker) {
      CHECK(node.size() == 2);
      CHECK(uts::sum(node).nodes > 0);
    }
  }
}

TEST_CASE("any tree counts on several nodes as in a serial search") {
  for (unsigned seed = 0; seed < stretto::test::scaled(20u, 2'000u); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    uts::parameters p;
    p.kind = std::array{uts::kind::binomial, uts::kind::geometric, uts::kind::hybrid}[random() % 3];
    p.max_depth = int(1 + random() % 6);
    p.root_branching = int(1 + random() % 5);
    p.seed = int(random() % 1000);
    p.inner_probability = 0.2;
    CHECK(sum(on_nodes(p, 1 + random() % 6, 1 + random() % 2)) == uts::search_serial(uts::tree(p)));
  }
}

TEST_CASE("the large published trees T1L and T3L have their published counts, on one node and on four") {
  if (!stretto::test::long_campaign()) return;
  for (const char* name : {"T1L", "T3L"}) {
    const auto& named = uts::tree_named(name);
    CHECK(uts::sum(search(uts::tree(named.parameters), 4)) == named.expected);
    CHECK(sum(on_nodes(named.parameters, 4, 1)) == named.expected);
  }
}

TEST_CASE("any tree counts as in a serial search") {
  CHECK(rc::check([] {
    uts::parameters p;
    p.kind = *rc::gen::element(uts::kind::binomial, uts::kind::geometric, uts::kind::hybrid);
    p.shape = *rc::gen::element(uts::shape::linear, uts::shape::cyclic, uts::shape::fixed);
    p.max_depth = *rc::gen::inRange(1, 6);
    p.root_branching = *rc::gen::inRange(1, 5);
    p.seed = *rc::gen::inRange(0, 1000);
    p.inner_probability = 0.2;
    const uts::tree t(p);
    RC_ASSERT(uts::sum(search(t, *rc::gen::inRange(1u, 4u))) == uts::search_serial(t));
  }));
}
