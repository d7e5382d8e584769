// 18_patterns.cpp - buffers that grow: each launch reads all that was written before.
//
// This program shows launches that read everything computed so far, in one, two and three dimensions. The mapper
// fixed(box) says that each part of a launch reads the same box. The runtime sends each node only the elements that it
// does not have yet. It helps readers whose algorithms build on all earlier results, such as recurrences and dynamic
// programming.
//
// The code is in patterns.hpp, which `stretto demo patterns` uses too.
//
// In one dimension the program computes the parity of the ones in each number (Thue and Morse). In two dimensions it
// finds the odd binomials by sums over all earlier rows: Sierpinski's triangle has 3^k in 2^k rows. In three dimensions
// it finds the odd trinomials by sums over all earlier layers: 4^k in 2^k layers.
//
// Started alone, the program simulates three nodes in one process, or as many as its argument says. `stretto run -n 4
// 18_patterns` starts four processes instead.
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
