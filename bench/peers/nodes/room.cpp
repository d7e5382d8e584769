// room.cpp - the room response over nodes: each step reads all steps before, on a buffer that all nodes share. How long
// steps take as the number of steps before them grows, with horizons and without.
//
// Threads     every node submits the same launches; node 0 reads and measures.
// Source      RSim, and the series over iterations: Thoman, Salzmann, "Command Horizons", figure 5. Light and room are
//             our own.
#include <stretto/stretto.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "peers/nodes/benchmarks.hpp"

using namespace stretto;

// clang-format off
STRETTO_KERNEL(radiate, (in<float, 2> earlier, out<float, 2> now, int count), {
  const int t = global_id(0);
  const int i = global_id(1);
  float lit = 1;
  for (int j = 0; j < count; ++j) lit += 1e-3f * earlier(t - 1 - (i + j) % t, j);
  now(t, i) = lit;
})
// clang-format on

namespace {

constexpr long sampled_every = 25;

std::vector<float> last_row_serially(long steps, long patches) {
  std::vector<float> light(static_cast<std::size_t>((steps + 1) * patches), 1.0f);
  for (long t = 1; t <= steps; ++t)
    for (long i = 0; i < patches; ++i) {
      float lit = 1;
      for (long j = 0; j < patches; ++j)
        lit += 1e-3f * light[static_cast<std::size_t>((t - 1 - (i + j) % t) * patches + j)];
      light[static_cast<std::size_t>(t * patches + i)] = lit;
    }
  return {light.end() - patches, light.end()};
}

bench::outcome time_room_step(const bench::options& o, const horizon_settings& horizons) {
  const long steps = std::max(sampled_every, o.steps / 2), patches = o.size;
  set_horizons(horizons);
  std::vector<double> number, us;
  std::vector<float> found;
  const auto row = [patches](long t) { return box({t, 0}, {t + 1, patches}); };
  buffer<float, 2> light(box({0, 0}, {steps + 1, patches}), [](auto...) { return 1.0f; });
  const bench::stopwatch clock;
  double since = 0;
  for (long t = 1; t <= steps; ++t) {
    launch(radiate, row(t), light(fixed(box({0, 0}, {t, patches}))), light(one_to_one), static_cast<int>(patches));
    if (t % sampled_every != 0) continue;
    const auto read = light.read(row(t)).get();  // on every node, which goes on when the step has ended
    number.push_back(static_cast<double>(t)), us.push_back((clock.seconds() - since) * 1e6 / sampled_every);
    since = clock.seconds();
    if (t + sampled_every <= steps) continue;
    found.clear();
    for (long i = 0; i < patches; ++i) found.push_back(read.view()(t, i));
  }
  const double seconds = since;
  set_horizons({});
  if (this_node() != 0) return {};
  const auto expected = last_row_serially(steps / sampled_every * sampled_every, patches);
  long differences = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    differences += !(std::abs(found[i] - expected[i]) < 1e-4f * expected[i]);
  bench::expect("patches unlike those of a serial run", differences, 0);
  return {.value = seconds * 1e6 / number.back(),
          .facts = {{"last_us", us.back()}},
          .series = {{"step", std::move(number)}, {"us per step", std::move(us)}}};
}

}  // namespace

bench::outcome time_room(const bench::options& o) { return time_room_step(o, {.step = 2}); }
bench::outcome time_room_without_horizons(const bench::options& o) {
  return time_room_step(o, {.step = 0, .most_parallel = 0});
}
