// life.hpp - the Game of Life on a buffer that is distributed over all nodes: two of Gosper's guns whose gliders meet.
//
// Threads     life_on_nodes is called inside run() of every node; the rest is pure.
// Source      M. Gardner, "Mathematical Games", Scientific American, October 1970; the gun: R. W. Gosper, the same
//             year.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "demo/wave/png_writer.hpp"

namespace on_buffers {

struct life_board {
  int rows = 0, columns = 0, steps = 0;
  std::vector<std::int32_t> alive;  // 0 or 1, by rows
  std::vector<std::int32_t> since;  // the step in which it last was alive; -1: never
  bool operator==(const life_board&) const = default;
};

/// Two guns at the upper corners, of which the right one is a mirror picture, and pulsars along the lower border. At
/// least 60 x 90.
life_board first_board(int rows, int columns);

/// `steps` on, the same on every node.
life_board life_on_nodes(life_board board, int steps);
life_board life_serially(life_board board, int steps);

std::int64_t alive_on(const life_board& board);
/// Live cells are white; dead ones are darker the longer ago they died. A cell is `side` x `side` pixels.
stretto::wave::rgb_image picture_of(const life_board& board, int side);

}  // namespace on_buffers
