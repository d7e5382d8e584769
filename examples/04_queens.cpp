// 04_queens.cpp - a recursive search that spawns tasks: n queens on an n x n board.
//
// This program counts the ways to put n queens on a board so that none attacks another. Each safe square of the upper
// four rows becomes a task, and deeper rows are searched by plain recursion. Futures add up the counts. It helps
// readers who want to make a recursive function parallel, and to choose at which depth tasks stop paying off.
//
// Output
//    n   solutions   published
//    1           1           1
//    2           0           0
//    3           0           0
//    4           2           2
//    5          10          10
//    6           4           4
//    7          40          40
//    8          92          92
//    9         352         352
//   10         724         724
//   11        2680        2680
//   12       14200       14200
//   all as published
#include <cstdint>
#include <cstdio>
#include <vector>

#include <stretto/stretto.hpp>

// Numbers: sequence A000170 of the On-Line Encyclopedia of Integer Sequences.
constexpr long published[] = {1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};

// The columns taken, and the diagonals, shifted by one with each row.
struct board {
  std::uint32_t full, columns = 0, falling = 0, rising = 0;
  std::uint32_t free() const { return full & ~(columns | falling | rising); }
  board with(std::uint32_t queen) const {
    return {full, columns | queen, (falling | queen) << 1, (rising | queen) >> 1};
  }
};

long count(const board& b, int tasks_for_rows) {
  if (b.columns == b.full) return 1;
  long sum = 0;
  std::vector<stretto::future<long>> rest;
  for (std::uint32_t open = b.free(); open; open &= open - 1) {
    const board next = b.with(open & -open);
    if (tasks_for_rows > 0)
      rest.push_back(stretto::async([next, tasks_for_rows] { return count(next, tasks_for_rows - 1); }));
    else sum += count(next, 0);
  }
  for (const auto& part : rest) sum += part.get();
  return sum;
}

int main() {
  stretto::runtime rt;
  return rt.run([] {
    bool all = true;
    std::printf(" n   solutions   published\n");
    for (int n = 1; n <= 12; ++n) {
      const long found = count({.full = (1u << n) - 1}, 4);
      std::printf("%2d  %10ld  %10ld\n", n, found, published[n - 1]);
      all = all && found == published[n - 1];
    }
    std::printf("%s\n", all ? "all as published" : "WRONG");
    return all ? 0 : 1;
  });
}
