// options.hpp - what the user asked the wave demonstration for, and the plan that follows from it.
//
// Threads     pure.
// Errors      W10 --size, W11 --steps, W12 --tiles, W13 --workers, W14 --sources, W16 --animate, W27 --velocity.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "demo/wave/medium.hpp"
#include "demo/wave/source.hpp"
#include "demo/wave/tiling.hpp"

namespace stretto::wave {

/// The options as typed; absent ones get the defaults that validate() states.
struct options {
  std::optional<std::string> size = {};      // WIDTHxHEIGHT in cells; default: the medium's pixels
  std::optional<std::string> steps = {};     // default: 3/2 of the longer side, so that waves cross 3/4 of it
  std::optional<std::string> tiles = {};     // ACROSSxDOWN; default: choose_tiling
  std::optional<std::string> workers = {};   // default: one per processor
  std::optional<std::string> sources = {};   // a count, spread below the upper edge; or X,Y:X,Y:... as shares of the
                                             // field's sides, 0,0 the upper left corner; default: 1
  std::optional<std::string> animate = {};   // frames; default: none
  std::optional<std::string> velocity = {};  // MIN:MAX in m/s, of the picture's black and its white; default 1500:4500
  std::filesystem::path medium = {};         // default: the shipped medium
  std::filesystem::path out = "out";
};

/// The environment that validate() checks against.
struct environment {
  extent medium;
  int processors = 1;
};

struct plan {
  extent size;
  double spacing_m = 0;  // a cell's side: the field is always field_width_m wide
  int steps = 0;
  int workers = 0;
  tiling tiles;
  std::vector<position> sources;
  velocity_range velocities;
  std::vector<int> frame_steps;  // numbers of steps after which a frame is taken, rising; the last is steps
};

inline constexpr double field_width_m = 8000;
inline constexpr int smallest_side = 2 * halo + 1;
inline constexpr std::ptrdiff_t most_cells = 256 * 1024 * 1024;
inline constexpr int most_steps = 10'000'000, most_workers = 1024, most_frames = 1000, most_sources = 1000;
inline constexpr double least_velocity_mps = 1, most_velocity_mps = 100'000;
inline constexpr int default_frames = 60;

/// The plan for these options, or the first error in the order of the members.
plan validate(const options& asked, const environment& here);

}  // namespace stretto::wave
