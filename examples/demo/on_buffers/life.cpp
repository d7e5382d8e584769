#include "demo/on_buffers/life.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <stretto/buffer.hpp>

namespace on_buffers {
namespace {

using namespace stretto;

// clang-format off
STRETTO_KERNEL(live_on, (in<int, 2> now, out<int, 2> next, inout<int, 2> since, int rows, int columns, int step), {
  const int i = global_id(0);
  const int j = global_id(1);
  int alive = 0;
  for (int a = max(i - 1, 0); a <= min(i + 1, rows - 1); ++a)
    for (int b = max(j - 1, 0); b <= min(j + 1, columns - 1); ++b)
      if (a != i || b != j) alive += now(a, b);
  next(i, j) = alive == 3 || (alive == 2 && now(i, j)) ? 1 : 0;
  if (next(i, j)) since(i, j) = step;
})
// clang-format on

std::size_t at(const life_board& b, int i, int j) { return static_cast<std::size_t>(i * b.columns + j); }

void put(life_board& b, int i, int j) {
  if (i < 0 || i >= b.rows || j < 0 || j >= b.columns) return;
  b.alive[at(b, i, j)] = 1;
  b.since[at(b, i, j)] = 0;
}

constexpr std::string_view gun[] = {
    "........................O",
    "......................O.O",
    "............OO......OO............OO",
    "...........O...O....OO............OO",
    "OO........O.....O...OO",
    "OO........O...O.OO....O.O",
    "..........O.....O.......O",
    "...........O...O",
    "............OO",
};

}  // namespace

life_board first_board(int rows, int columns) {
  life_board b{rows, columns, 0, std::vector<std::int32_t>(static_cast<std::size_t>(rows * columns)), {}};
  b.since.assign(b.alive.size(), -1);
  for (int i = 0; i < static_cast<int>(std::size(gun)); ++i)
    for (int j = 0; j < static_cast<int>(gun[i].size()); ++j)
      if (gun[i][static_cast<std::size_t>(j)] == 'O') put(b, i + 2, j + 2), put(b, i + 2, columns - 3 - j);
  for (int first = 6; first + 13 < columns; first += 18)  // pulsars
    for (const int i : {0, 5, 7, 12})
      for (const int j : {2, 3, 4, 8, 9, 10}) put(b, rows - 15 + i, first + j), put(b, rows - 15 + j, first + i);
  return b;
}

life_board life_on_nodes(life_board board, int steps) {
  const box cells({0, 0}, {board.rows, board.columns});
  buffer<int, 2> now(cells, board.alive.data(), {.name = "now"}), next(cells, {.name = "next"});
  const buffer<int, 2> since(cells, board.since.data(), {.name = "since"});
  for (int s = 0; s < steps; ++s) {
    launch(in_tiles, live_on, cells, now(neighborhood(1)), next(one_to_one), since(one_to_one), board.rows,
           board.columns, ++board.steps);
    std::swap(now, next);
  }
  const auto seen = now.read().get(), seen_since = since.read().get();
  for (int i = 0; i < board.rows; ++i)
    for (int j = 0; j < board.columns; ++j)
      board.alive[at(board, i, j)] = seen.view()(i, j), board.since[at(board, i, j)] = seen_since.view()(i, j);
  return board;
}

life_board life_serially(life_board board, int steps) {
  for (int s = 0; s < steps; ++s) {
    const std::vector<std::int32_t> now = board.alive;
    ++board.steps;
    for (int i = 0; i < board.rows; ++i)
      for (int j = 0; j < board.columns; ++j) {
        int alive = -now[at(board, i, j)];
        for (int a = std::max(i - 1, 0); a <= std::min(i + 1, board.rows - 1); ++a)
          for (int b = std::max(j - 1, 0); b <= std::min(j + 1, board.columns - 1); ++b) alive += now[at(board, a, b)];
        std::int32_t& cell = board.alive[at(board, i, j)];
        cell = alive == 3 || (alive == 2 && cell);
        if (cell) board.since[at(board, i, j)] = board.steps;
      }
  }
  return board;
}

std::int64_t alive_on(const life_board& board) { return std::ranges::count(board.alive, 1); }

wave::rgb_image picture_of(const life_board& board, int side) {
  wave::rgb_image image{{board.rows * side, board.columns * side}, {}};
  for (int y = 0; y < image.size.rows; ++y)
    for (int x = 0; x < image.size.columns; ++x) {
      const std::size_t cell = at(board, y / side, x / side);
      wave::rgb colour{12, 16, 28};
      if (board.alive[cell]) {
        colour = {255, 255, 255};
      } else if (board.since[cell] >= 0) {
        const double fresh = std::exp(-(board.steps - board.since[cell]) / 40.0);
        const auto mixed = [&](double dark, double light) {
          return static_cast<std::uint8_t>(dark + fresh * (light - dark));
        };
        colour = {mixed(22, 90), mixed(34, 190), mixed(62, 235)};
      }
      image.pixels.push_back(colour);
    }
  return image;
}

}  // namespace on_buffers
