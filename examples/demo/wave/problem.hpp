// problem.hpp - the parameters that determine a result, independent of the nodes that compute it.
//
// Threads     a value; computing reads it only.
#pragma once

#include <stretto/fields.hpp>
#include <vector>

#include "demo/wave/border.hpp"
#include "demo/wave/field.hpp"
#include "demo/wave/medium.hpp"
#include "demo/wave/source.hpp"

namespace stretto::wave {

/// All but the ground: what is the same for every tile, on every node.
struct wave_parameters {
  border edge;
  std::vector<position> sources;
  std::vector<float> wavelet;  // one amplitude per step

  extent size() const { return edge.size(); }
  int steps() const { return int(wavelet.size()); }
  template <class Archive>
  friend void fields(Archive& a, archived<wave_parameters, Archive>& c) {
    a(c.edge, c.sources, c.wavelet);
  }
};

struct problem : wave_parameters {
  field coefficient;
  time_scale time;
};

/// Sources at these cells, shaking the ground for so many steps.
problem pose(const medium& ground, std::vector<position> sources, int steps);

}  // namespace stretto::wave
