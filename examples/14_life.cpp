// 14_life.cpp - the Game of Life on a buffer that is distributed over all nodes.
//
// This program is the first one to read about buffers. A buffer is one array over all nodes and devices. The program
// launches a kernel on the whole board, and says which elements each part reads: neighborhood(1), the cells around it.
// It helps readers who write halo exchanges by hand today.
//
// The runtime cuts the board in two directions (in_tiles), and sends the border cells between nodes in each step. The
// program checks patterns whose periods are known.
//
// Started alone, the program simulates three nodes in one process, or as many as its argument says. `stretto run -n 3
// 14_life` starts three processes instead.
//
// Output
//   a pulsar is itself again after 3 steps
//   a pentadecathlon is itself again after 15 steps
//   a glider has moved 16 down and 16 right after 64 steps
//   Gosper's gun of 36 cells and 4 gliders are 56 cells after 120 steps
#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include <stretto/stretto.hpp>

#include "on_nodes.hpp"

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

constexpr int rows = 40, columns = 72;

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
    launch(in_tiles, live, all_cells, now(neighborhood(1)), next(one_to_one), rows, columns);
    std::swap(now, next);
  }
  const auto later = now.read();
  std::vector<int> board;
  if (is_dry_run()) return board;  // nothing is computed then (example 40)
  const auto& seen = later.get();
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) board.push_back(seen.view()(i, j));
  return board;
}

void tell(const char* what, const std::vector<int>& first, int steps, const std::vector<int>& expected) {
  const bool is_so = after_steps(first, steps) == expected;
  if (is_dry_run() || this_node() != 0) return;
  std::printf("%s after %d steps%s\n", what, steps, is_so ? "" : ": NO");
}

void program() {
  pattern pulsar, pentadecathlon;
  for (const int i : {0, 5, 7, 12})
    for (const int j : {2, 3, 4, 8, 9, 10}) pulsar.push_back({i + 10, j + 10}), pulsar.push_back({j + 10, i + 10});
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 3; ++i)
      if (i != 1 || (j != 1 && j != 6)) pentadecathlon.push_back({i + 18, j + 16});
  constexpr std::string_view gun[] = {"........................O",
                                      "......................O.O",
                                      "............OO......OO............OO",
                                      "...........O...O....OO............OO",
                                      "OO........O.....O...OO",
                                      "OO........O...O.OO....O.O",
                                      "..........O.....O.......O",
                                      "...........O...O",
                                      "............OO"};
  pattern gosper;  // fires a glider every 30 steps
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < static_cast<int>(gun[i].size()); ++j)
      if (gun[i][static_cast<std::size_t>(j)] == 'O') gosper.push_back({i, j});
  const pattern glider{{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
  tell("a pulsar is itself again", board_with(pulsar), 3, board_with(pulsar));
  tell("a pentadecathlon is itself again", board_with(pentadecathlon), 15, board_with(pentadecathlon));
  tell("a glider has moved 16 down and 16 right", board_with(glider, 3, 3), 64, board_with(glider, 19, 19));
  const std::vector<int> fired = after_steps(board_with(gosper, 1, 1), 120);
  if (is_dry_run() || this_node() != 0) return;
  std::printf("Gosper's gun of %zu cells and 4 gliders are %td cells after 120 steps\n", gosper.size(),
              std::ranges::count(fired, 1));
}

int main(int count, char** arguments) { return run_on_nodes(program, count > 1 ? arguments[1] : nullptr); }
