// room_patches.hpp - the walls of a room as patches: what each sees of which other, how far away, and how they are
// drawn.
//
// Threads     pure.
// Source      form factors of small patches: any text on radiosity; RSim: P. Thoman, F. Tischler, P. Salzmann, T.
//             Fahringer.
#pragma once

#include <vector>

#include "demo/wave/png_writer.hpp"

namespace on_buffers {

/// A box, twice as deep as it is wide, each of whose walls is cut into squares.
struct room {
  int side = 0;  // squares along its width and its height; its depth has twice as many
  int patches = 0;
  std::vector<float> factor;  // patches x patches: how much of what patch i sees is patch j
  std::vector<int> delay;     // steps that light takes from j to i, at least 1
};

room make_room(int side);

/// A patch in the middle of the near end.
int lamp_of(const room& r);

/// The walls unfolded, by how bright each patch is: those of one step. A patch is `pixels` x `pixels`. Brightness
/// counts by its logarithm, over three decades below `most`.
stretto::wave::byte_image unfolded(const room& r, const float* bright, float most, int pixels);
/// The colours of the bytes: black, red, yellow, white. 0 means no wall.
std::vector<stretto::wave::rgb> heat_palette();

}  // namespace on_buffers
