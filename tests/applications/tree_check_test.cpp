#include <doctest/doctest.h>

#include "modules/uts/uts_program.hpp"

TEST_CASE("the published counts pass, and others are named") {
  const uts::published_tree& named = *uts::find("T1");
  CHECK(uts::fault_of(named, named.expected).empty());
  uts::census wrong = named.expected;
  --wrong.nodes;
  CHECK(uts::fault_of(named, wrong) == "4130070 nodes found, of 4130071");
  wrong = named.expected;
  ++wrong.leaves;
  CHECK(uts::fault_of(named, wrong) == "3305119 leaves found, of 3305118");
  wrong = named.expected;
  ++wrong.depth;
  CHECK(uts::fault_of(named, wrong) == "11 levels found, of 10");
}

TEST_CASE("the oldest nodes of a stack are taken") {
  uts::stack nodes(5);
  for (int i = 0; i < 5; ++i) nodes[i].depth = i;
  const uts::stack oldest = uts::take_oldest(nodes, 2);
  CHECK(oldest.size() == 2);
  CHECK(oldest[1].depth == 1);
  CHECK(nodes.size() == 3);
  CHECK(nodes[0].depth == 2);
}
