// 31_life.cpp - the Game of Life on a buffer that is distributed over all nodes: patterns whose periods are known.
//
// Alone it takes a simulated job of three nodes within the process; `stretto run -n 3 31_life` makes it three processes.
//
// Output
//   a pulsar is itself again after 3 steps
//   a pentadecathlon is itself again after 15 steps
//   a glider has moved 16 down and 16 right after 64 steps
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include <stretto/stretto.hpp>

#include "both_ways.hpp"

using namespace stretto;

// clang-format off
STRETTO_KERNEL(live, (in<int, 2> now, out<int, 2> next, int rows, int columns), {
  const int i = global_id(0);
  const int j = global_id(1);
  int alive = 0;
  for (int a = i - 1; a <= i + 1; ++a)
    for (int b = j - 1; b <= j + 1; ++b)
      if (a >= 0 && a < rows && b >= 0 && b < columns && (a != i || b != j)) alive += now(a, b);
  next(i, j) = alive == 3 || (alive == 2 && now(i, j)) ? 1 : 0;
})
// clang-format on

constexpr int rows = 40, columns = 48;

using pattern = std::vector<std::array<int, 2>>;

std::vector<int> board_with(const pattern& cells, int down = 0, int right = 0) {
  std::vector<int> board(rows * columns);
  for (const auto& [i, j] : cells) board[static_cast<std::size_t>((i + down) * columns + j + right)] = 1;
  return board;
}

/// The board after some steps, on every node.
std::vector<int> after_steps(const std::vector<int>& first, int steps) {
  const box all_cells({0, 0}, {rows, columns});
  buffer<int, 2> now(all_cells, first.data(), {.name = "now"}), next(all_cells, {.name = "next"});
  for (int s = 0; s < steps; ++s) {
    launch(live, all_cells, now(neighborhood(1)), next(one_to_one), rows, columns);
    std::swap(now, next);
  }
  const auto seen = now.read().get();
  std::vector<int> board;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) board.push_back(seen.view()(i, j));
  return board;
}

void tell(const char* what, const std::vector<int>& first, int steps, const std::vector<int>& expected) {
  const bool is_so = after_steps(first, steps) == expected;
  if (this_node() == 0) std::printf("%s after %d steps%s\n", what, steps, is_so ? "" : ": NO");
}

void program() {
  pattern pulsar, pentadecathlon;
  for (const int i : {0, 5, 7, 12})
    for (const int j : {2, 3, 4, 8, 9, 10}) pulsar.push_back({i + 10, j + 10}), pulsar.push_back({j + 10, i + 10});
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 3; ++i)
      if (i != 1 || (j != 1 && j != 6)) pentadecathlon.push_back({i + 18, j + 16});
  const pattern glider{{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
  tell("a pulsar is itself again", board_with(pulsar), 3, board_with(pulsar));
  tell("a pentadecathlon is itself again", board_with(pentadecathlon), 15, board_with(pentadecathlon));
  tell("a glider has moved 16 down and 16 right", board_with(glider, 3, 3), 64, board_with(glider, 19, 19));
}

int main() { return run_on_nodes(program); }
