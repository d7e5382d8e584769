// 2_tasks.cpp - a wave front over a table: the longest common subsequence of two texts, one task per tile.
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

constexpr int tiles = 8, side = 250, n = tiles * side;

struct table {
  std::string a, b;
  std::vector<int> length = std::vector<int>((n + 1) * (n + 1));  // row 0 and column 0 stay zero

  int& at(int i, int j) { return length[i * (n + 1) + j]; }
  void compute_tile(int row, int column) {  // reads the last row and column of the tiles above and on the left
    for (int i = (row - 1) * side + 1; i <= row * side; ++i)
      for (int j = (column - 1) * side + 1; j <= column * side; ++j)
        at(i, j) = a[i - 1] == b[j - 1] ? at(i - 1, j - 1) + 1 : std::max(at(i - 1, j), at(i, j - 1));
  }
};

int main() {
  runtime rt;
  rt.run([] {
    table t;
    event done[tiles + 1][tiles + 1];  // a default event has triggered: row 0 and column 0 need no tasks
    const user_event texts_are_there = user_event::create();
    done[0][0] = texts_are_there;
    for (int row = 1; row <= tiles; ++row)
      for (int column = 1; column <= tiles; ++column) {
        const event needed[] = {done[row - 1][column], done[row][column - 1], done[row - 1][column - 1]};
        done[row][column] = async(after(needed), name("tile"), [&t, row, column] { t.compute_tile(row, column); });
      }
    for (int i = 0; i < n; ++i) t.a += "ACGT"[i * i % 11 % 4], t.b += "ACGT"[i * i % 13 % 4];
    texts_are_there.trigger();  // until here no tile has begun
    wait(done[tiles][tiles]);
    std::printf("the longest common subsequence has %d letters\n", t.at(n, n));

    const auto read = async(name("read"), [] { throw std::runtime_error("no such file"); });
    const auto sort = async(after(read), name("sort"), [] { std::puts("never printed"); });
    try {
      wait(sort);
    } catch (const poisoned& skipped) {
      std::printf("%s\n", skipped.sentence().c_str());
    }
  });
}
