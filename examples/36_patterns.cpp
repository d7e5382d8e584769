// 36_patterns.cpp - growing arrays: each launch writes a part that depends on all earlier ones.
//
// `fixed(box)` is the same elements for every part of a launch: what has grown so far, of which nodes send each other
// what is new. The range is the new elements. What others hold is never sent twice.
//
// In one dimension, the parity of the ones of each number: the first half turned round (Thue and Morse). In two, odd
// binomials, by the sum over all earlier rows: Sierpinski's triangle, 3^k in 2^k rows. In three, odd trinomials, by
// that over all earlier layers: 4^k in 2^k layers. The programs are patterns.hpp, which `stretto demo patterns` shares.
//
// `stretto run -n 4 36_patterns` makes the simulated job of three nodes, or of as many as its argument says, four
// processes.
//
// Output
//   1-D, 1024 numbers: each as the parity of its ones
//   2-D, 64 rows: 729 odd binomials, 3^6 = 729
//   3-D, 16 layers: 256 odd trinomials, 4^4 = 256
#include <algorithm>
#include <bit>
#include <cstdio>

#include "on_nodes.hpp"
#include "patterns.hpp"

using namespace stretto;
using namespace patterns;

void program() {
  const numbers one = parities(1024), two = binomials(64), three = trinomials(16);
  if (is_dry_run() || this_node() != 0) return;
  bool is_so = true;
  for (std::size_t i = 0; i < one.size(); ++i) is_so = is_so && one[i] == std::popcount(i) % 2;
  std::printf("1-D, 1024 numbers: each %s the parity of its ones\n", is_so ? "as" : "NOT as");
  std::printf("2-D, 64 rows: %ld odd binomials, 3^6 = 729\n", static_cast<long>(std::ranges::count(two, 1)));
  std::printf("3-D, 16 layers: %ld odd trinomials, 4^4 = 256\n", static_cast<long>(std::ranges::count(three, 1)));
}

int main(int count, char** arguments) { return run_on_nodes(program, count > 1 ? arguments[1] : nullptr); }
