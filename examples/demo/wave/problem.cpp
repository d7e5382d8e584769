#include "demo/wave/problem.hpp"

#include <utility>

namespace stretto::wave {

problem pose(const medium& ground, std::vector<position> sources, int steps) {
  const auto time = choose_time_scale(ground);
  return {{border(ground.size, border_width(ground.size), time.courant), std::move(sources),
           wavelet(time.frequency_hz, time.step_s, steps)},
          coefficients(ground, time.step_s),
          time};
}

}  // namespace stretto::wave
