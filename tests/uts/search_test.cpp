// search_test.cpp - a search by tasks counts what a serial one does, with any number of workers.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <stretto/runtime.hpp>

#include "campaign.hpp"
#include "demo/uts/report.hpp"
#include "demo/uts/search.hpp"

namespace {

std::vector<uts::census> search(const uts::tree& t, std::uint32_t workers) {
  stretto::runtime rt({.workers = workers});
  return rt.run([&] { return uts::search_parallel(t, rt.workers()); });
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

TEST_CASE("the large published trees T1L and T3L have their published counts") {
  if (!stretto::test::long_campaign()) return;
  for (const char* name : {"T1L", "T3L"}) {
    const auto& named = uts::tree_named(name);
    CHECK(uts::sum(search(uts::tree(named.parameters), 4)) == named.expected);
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
