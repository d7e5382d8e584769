// room_light.hpp - light in a room over time, on buffers: each step writes what all patches radiate, and reads all
// steps before.
//
// Threads     light_on_nodes is called inside run() of every node; the rest is pure.
// Source      RSim, and the access pattern of P. Thoman and P. Salzmann, "Command Horizons".
#pragma once

#include <vector>

#include "demo/on_buffers/room_patches.hpp"

namespace on_buffers {

struct light {
  int steps = 96;
  float reflected = 0.7f;  // the share of what comes in
};

/// steps x patches: what each patch radiates, after the lamp has flashed in the first step; the same on every node.
std::vector<float> light_on_nodes(const room& r, const light& l);
std::vector<float> light_serially(const room& r, const light& l);

/// The largest difference of two, as a share of what the lamp sends.
float largest_difference(const std::vector<float>& a, const std::vector<float>& b);
/// Of all but the lamp's own flash.
float brightest(const room& r, const std::vector<float>& radiated);

/// The moments of a sheet of pictures, and each step as a picture that moves.
stretto::wave::rgb_image sheet_of(const room& r, const light& l, const std::vector<float>& radiated, int pixels);
std::vector<std::byte> moving_picture_of(const room& r, const light& l, const std::vector<float>& radiated, int pixels);

}  // namespace on_buffers
