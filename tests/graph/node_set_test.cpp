#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <vector>

#include "graph/node_set.hpp"

using namespace stretto;
using graph::node_set;

namespace {

constexpr graph::node_number most_nodes = 24;

std::set<graph::node_number> members(const node_set& s) {
  std::set<graph::node_number> all;
  for (const auto& i : s.intervals())
    for (auto n = i.first; n < i.last; ++n) all.insert(n);
  return all;
}
node_set one_by_one(const std::set<graph::node_number>& nodes) {
  node_set s;
  for (const auto n : nodes) s.append(n, n + 1);
  return s;
}
// The invariant: not empty, ascending, and with a gap between any two.
bool has_gaps(const node_set& s) {
  for (std::size_t i = 0; i < s.intervals().size(); ++i) {
    if (s.intervals()[i].first >= s.intervals()[i].last) return false;
    if (i != 0 && s.intervals()[i - 1].last >= s.intervals()[i].first) return false;
  }
  return true;
}
rc::Gen<std::set<graph::node_number>> some_nodes() {
  return rc::gen::container<std::set<graph::node_number>>(rc::gen::inRange<graph::node_number>(0, most_nodes));
}

}  // namespace

TEST_CASE("the text of a set of nodes consists of intervals") {
  CHECK(node_set().text() == "none");
  CHECK(node_set(3, 3).text() == "none");
  CHECK(node_set(4, 3).is_empty());
  CHECK(node_set(0, 1).text() == "N0");
  CHECK(node_set(1, 512).text() == "N1-N511");
  CHECK((node_set(0, 1) | node_set(2, 4)).text() == "N0 N2-N3");
  CHECK((node_set(0, 4'096) - node_set(17, 18)).text() == "N0-N16 N18-N4095");
  CHECK((node_set(0, 4'096) - node_set(17, 18)).size() == 4'095);
}

TEST_CASE("sets of nodes that touch are one interval, however they came together") {
  CHECK((node_set(2, 4) | node_set(0, 2)) == node_set(0, 4));
  CHECK((node_set(0, 1) | node_set(2, 3) | node_set(1, 2)) == node_set(0, 3));
  node_set s(0, 2);
  s.append(2, 5);
  s.append(5, 5);
  CHECK(s == node_set(0, 5));
}

TEST_CASE("unions and differences of nodes are those of std::set") {
  const bool ok = rc::check([] {
    const auto a = *some_nodes(), b = *some_nodes();
    const node_set x = one_by_one(a), y = one_by_one(b);
    std::set<graph::node_number> both, rest;
    std::ranges::set_union(a, b, std::inserter(both, both.end()));
    std::ranges::set_difference(a, b, std::inserter(rest, rest.end()));
    for (const auto& [made, expected] : {std::pair(x, a), std::pair(x | y, both), std::pair(x - y, rest)}) {
      RC_ASSERT(members(made) == expected);
      RC_ASSERT(has_gaps(made));
      RC_ASSERT(made.size() == expected.size());
      RC_ASSERT(made.is_empty() == expected.empty());
      for (graph::node_number n = 0; n <= most_nodes; ++n) RC_ASSERT(made.contains(n) == expected.contains(n));
    }
    RC_ASSERT((x == y) == (a == b));
  });
  CHECK(ok);
}

TEST_CASE("equal sets of nodes are equal values after any unions, differences and appends") {
  const bool ok = rc::check([] {
    const auto steps = *rc::gen::container<std::vector<std::tuple<int, graph::node_number, graph::node_number>>>(
        rc::gen::tuple(rc::gen::inRange(0, 4), rc::gen::inRange<graph::node_number>(0, most_nodes),
                       rc::gen::inRange<graph::node_number>(0, 7)));
    node_set made;
    std::set<graph::node_number> model;
    for (const auto& [how, first, length] : steps) {
      const node_set other(first, first + length);
      if (how == 0) made -= other;
      else if (how == 1) made = made | other;
      else if (how == 2) made |= other;
      const graph::node_number behind = model.empty() ? 0 : *model.rbegin() + 1,
                               from = how < 3 ? first : behind + first % 3;
      if (how == 3) made.append(from, from + length);
      for (graph::node_number n = from; n < from + length; ++n)
        if (how == 0) model.erase(n);
        else model.insert(n);
      RC_ASSERT(members(made) == model);
      RC_ASSERT(has_gaps(made));
      RC_ASSERT(made == one_by_one(model));
    }
  });
  CHECK(ok);
}
