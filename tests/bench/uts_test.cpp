// uts_test.cpp - the trees against the counts of the literature, the hash against an independent
// SHA-1.
#include <doctest/doctest.h>

#include <string>

#include "uts/search.hpp"
#include "uts/uts_tree.hpp"

namespace {

constexpr uts::digest one_to_twenty{0x01020304, 0x05060708, 0x090a0b0c, 0x0d0e0f10, 0x11121314};

uts::tree tree_of(const char* name) { return uts::tree(uts::find(name)->parameters); }

bench::options flags_for(const char* tree) {
  bench::options o;
  o.tree = tree;
  return o;
}

}  // namespace

TEST_CASE("a state hashes like SHA-1 of its 20 bytes, and with an index of its 24 bytes") {
  CHECK(uts::sha1(one_to_twenty) == uts::digest{0x05670b9c, 0x09f79406, 0x48fbe79a, 0xccb00518, 0x72b2bbea});
  CHECK(uts::sha1(one_to_twenty, 7) == uts::digest{0x4d4106e0, 0x2fadc870, 0xdb75bf39, 0x9a148034, 0x1d4fdd58});
}

TEST_CASE("the published trees of four million nodes have the published nodes, leaves and depths") {
  for (const char* name : {"T1", "T2", "T3", "T4", "T5"}) {
    CAPTURE(name);
    CHECK(uts::search_serial(tree_of(name)) == uts::find(name)->expected);
  }
}

TEST_CASE("a tree name is matched exactly") {
  CHECK(uts::find("T1L")->expected.nodes == 102181082);
  CHECK(uts::find("t1") == nullptr);
  CHECK(uts::find("") == nullptr);
}

TEST_CASE("children depend on their parent and index only") {
  const uts::tree t = tree_of("T3");
  const uts::node root = t.root();
  CHECK(root.depth == 0);
  CHECK(t.num_children(root) == 2000);
  const uts::node last_first = t.child(root, 1999), first = t.child(root, 0);
  CHECK(first.state == tree_of("T3").child(root, 0).state);
  CHECK(first.state != last_first.state);
  CHECK(first.depth == 1);
}

TEST_CASE("a fixed geometric tree ends at its depth, and no node there has children") {
  const uts::tree t({.shape = uts::shape::fixed, .max_depth = 3, .root_branching = 4, .seed = 19});
  const uts::census found = uts::search_serial(t);
  CHECK(found.depth == 3);
  CHECK(t.num_children({one_to_twenty, 3}) == 0);
}

TEST_CASE("an exponentially decreasing tree keeps its mean at the root and has 1 at its depth") {
  // b(d) = b0 * d^(-ln b0 / ln depth) is 1 at d = depth: a draw just below one half gives no child,
  // above one.
  const uts::tree t({.shape = uts::shape::exponential_decrease, .max_depth = 8, .root_branching = 5});
  const auto drawn = [](std::uint32_t bits, int depth) { return uts::node{{0, 0, 0, 0, bits}, depth}; };
  CHECK(t.num_children(drawn(0x3fffffff, 8)) == 0);
  CHECK(t.num_children(drawn(0x40000001, 8)) == 1);
  CHECK(t.num_children(drawn(0x3fffffff, 0)) == 3);  // ln(1/2) / ln(5/6) = 3.8
}

TEST_CASE("no node but a binomial root has more than 100 children") {
  const uts::tree t({.shape = uts::shape::fixed, .max_depth = 3, .root_branching = 1000});
  CHECK(t.num_children({{0, 0, 0, 0, 0x7fffffff}, 1}) == 100);
}

TEST_CASE("the top bit of a state takes no part in the draw") {
  const uts::tree t = tree_of("T1");
  CHECK(t.num_children({{0, 0, 0, 0, 0x12345678}, 1}) == t.num_children({{0, 0, 0, 0, 0x92345678}, 1}));
}

TEST_CASE("partial censuses add up") {
  uts::census left{3, 2, 5}, right{4, 1, 2};
  left += right;
  CHECK(left == uts::census{7, 3, 5});
}

TEST_CASE("a search that misses a node is a wrong answer, not a figure") {
  const auto lossy = [](const uts::tree&) { return uts::census{4130070, 3305118, 10}; };
  CHECK_THROWS_WITH_AS(uts::measure(flags_for("T1"), lossy), "number of nodes is 4130070, must be 4130071",
                       bench::wrong_answer);
}

TEST_CASE("an unknown tree is named in the message") {
  CHECK_THROWS_WITH(uts::measure(flags_for("T9"), uts::search_serial), "there is no published tree \"T9\"; T1 is one");
}
