// 36_patterns.cpp - arrays that grow: each launch writes a part that follows from all that is there already, along one, two or three axes.
//
// `fixed(box)` is the same elements for every part of a launch: what has grown so far, of which nodes send each other what is new. The range is
// the new elements. What others hold is never sent twice.
//
// In one dimension, the parity of the ones of each number: the first half turned round (Thue and Morse). In two, odd binomials, by the sum over all
// earlier rows: Sierpinski's triangle, 3^k in 2^k rows. In three, odd trinomials, by that over all earlier layers: 4^k in 2^k layers.
//
// `stretto run -n 4 36_patterns` makes the simulated job of three nodes, or of as many as its argument says, four processes.
//
// Output
//   1-D, 1024 numbers: each as the parity of its ones
//   2-D, 64 rows: 729 odd binomials, 3^6 = 729
//   3-D, 16 layers: 256 odd trinomials, 4^4 = 256
#include <bit>
#include <cstdio>

#include "on_nodes.hpp"

using namespace stretto;

// clang-format off
STRETTO_KERNEL(turn_round, (in<int> earlier, out<int> now, int half), { now(global_id(0)) = half == 0 ? 0 : 1 - earlier(global_id(0) - half); })
STRETTO_KERNEL(add_rows, (in<int, 2> earlier, out<int, 2> now), {
  const int t = global_id(0);
  const int i = global_id(1);
  int odd = i == 0 ? 1 : 0;
  if (i > 0)
    for (int s = 0; s < t; ++s) odd = (odd + earlier(s, i - 1)) % 2;
  now(t, i) = odd;
})
STRETTO_KERNEL(add_layers, (in<int, 3> earlier, out<int, 3> now), {
  const int t = global_id(0);
  const int i = global_id(1);
  const int j = global_id(2);
  int odd = i == 0 && j == 0 ? 1 : 0;
  for (int s = 0; s < t; ++s) {
    if (i > 0) odd = (odd + earlier(s, i - 1, j)) % 2;
    if (j > 0) odd = (odd + earlier(s, i, j - 1)) % 2;
  }
  now(t, i, j) = odd;
})
// clang-format on

void in_one_dimension() {
  constexpr int numbers = 1024;
  const buffer<int> x(box(0, numbers), {.name = "parities"});
  launch(turn_round, box(0, 1), x(fixed({0, 0})), x(one_to_one), 0);
  for (int half = 1; half < numbers; half *= 2) launch(turn_round, box(half, 2 * half), x(fixed({0, half})), x(one_to_one), half);
  const auto later = x.read();
  if (is_dry_run()) return;  // nothing is computed then (example 40)
  const auto& seen = later.get();
  bool is_so = true;
  for (int i = 0; i < numbers; ++i) is_so = is_so && seen.view()(i) == std::popcount(unsigned(i)) % 2;
  if (this_node() == 0) std::printf("1-D, %d numbers: each %s the parity of its ones\n", numbers, is_so ? "as" : "NOT as");
}

void in_two_dimensions() {
  constexpr int rows = 64;
  const buffer<int, 2> x({{0, 0}, {rows, rows}}, {.name = "binomials"});
  for (int t = 0; t < rows; ++t) launch(add_rows, box({t, 0}, {t + 1, rows}), x(fixed({{0, 0}, {t, rows}})), x(one_to_one));
  const auto later = x.read();
  if (is_dry_run()) return;
  const auto& seen = later.get();
  int odd = 0;
  for (int t = 0; t < rows; ++t)
    for (int i = 0; i < rows; ++i) odd += seen.view()(t, i);
  if (this_node() == 0) std::printf("2-D, %d rows: %d odd binomials, 3^6 = 729\n", rows, odd);
}

void in_three_dimensions() {
  constexpr int layers = 16;
  const buffer<int, 3> x({{0, 0, 0}, {layers, layers, layers}}, {.name = "trinomials"});
  for (int t = 0; t < layers; ++t)
    launch(add_layers, box({t, 0, 0}, {t + 1, layers, layers}), x(fixed({{0, 0, 0}, {t, layers, layers}})), x(one_to_one));
  const auto later = x.read();
  if (is_dry_run()) return;
  const auto& seen = later.get();
  int odd = 0;
  for (int t = 0; t < layers; ++t)
    for (int i = 0; i < layers; ++i)
      for (int j = 0; j < layers; ++j) odd += seen.view()(t, i, j);
  if (this_node() == 0) std::printf("3-D, %d layers: %d odd trinomials, 4^4 = 256\n", layers, odd);
}

void program() {
  in_one_dimension();
  in_two_dimensions();
  in_three_dimensions();
}

int main(int count, char** arguments) { return run_on_nodes(program, count > 1 ? arguments[1] : nullptr); }
