// problem.hpp - all that decides a result, whoever computes it.
//
// Threads     a value; computing reads it only.
#pragma once

#include <vector>

#include "demo/wave/border.hpp"
#include "demo/wave/field.hpp"
#include "demo/wave/medium.hpp"
#include "demo/wave/source.hpp"

namespace stretto::wave {

struct problem {
  field coefficient;
  border edge;
  std::vector<position> sources;
  std::vector<float> wavelet;  // one amplitude per step
  time_scale time;

  extent size() const { return coefficient.size(); }
  int steps() const { return int(wavelet.size()); }
};

/// Sources at these cells, shaking the ground for so many steps.
problem pose(const medium& ground, std::vector<position> sources, int steps);

}  // namespace stretto::wave
