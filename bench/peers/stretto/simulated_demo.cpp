// simulated_demo.cpp - Stretto: the program of `stretto demo wave` on simulated devices, in the time of the clock:
// their kernels take milliseconds, beside which what the host has to do is little.
#include <stretto/runtime.hpp>

#include <fmt/format.h>

#include "demo/wave/problem.hpp"
#include "demo/wave/run_objects.hpp"
#include "peers/stretto/benchmarks.hpp"

using namespace stretto;

/// Layers in which sound is the faster the deeper they lie; a source at the top; the demo's own tiles, all on devices.
/// --size is their number.
bench::outcome speed_up_of_demo(const bench::options& o) {
  constexpr int columns = 256, rows = 192, steps = 48;
  wave::grey_image image{{.rows = rows, .columns = columns}, {}};
  for (int i = 0; i < rows * columns; ++i) image.grey.push_back(float(i / columns) / rows);
  const wave::problem all =
      wave::pose(wave::make_medium(image, {1500, 4500}, 10), {{.row = 4, .column = columns / 2}}, steps);
  const wave::tiling tiles = wave::choose_device_tiling(all.size());
  const double tile_seconds = 4e-3, cells = double(columns) * rows / double(tiles.tiles.size());
  setenv("STRETTO_SPEEDS", "none", 0);
  const auto seconds_on = [&](long devices) {
    runtime rt({.workers = std::uint32_t(o.workers),
                .devices = fmt::format("sim:{}(rate={:.0f},bandwidth=64M,memory=16M)", devices, cells / tile_seconds)});
    double seconds = 0;
    rt.run([&] {
      const wave::tasks_result result = wave::run_objects(all, tiles, {.on_devices_alone = true});
      bench::expect("steps of the wave", result.steps, steps);
      seconds = result.seconds;
    });
    return seconds;
  };
  const double alone = seconds_on(1);
  return {alone / (o.size == 1 ? alone : seconds_on(o.size))};
}
