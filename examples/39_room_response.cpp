// 39_room_response.cpp - light in a room over time: each step reads all earlier steps.
//
// This application computes how a flash of light spreads between the walls of a room (radiosity over time). Light takes
// time, so a patch of a wall is lit by what the others radiated some steps ago. A launch writes one row of a buffer,
// and reads all rows before it. Each node gets the rows as they are computed. It helps readers whose step depends on
// the whole history.
//
// The access pattern is that of RSim (Thoman, Salzmann and others). A launch is cut along its row: each part computes
// its patches.
//
// A room whose walls all shine and reflect a share r of the light is an integrating sphere. Its walls become 1 / (1 -
// r) times as bright as they are without reflection. Started alone, the program simulates three nodes in one process,
// or as many as its argument says. `stretto run -n 4 39_room_response` starts four processes instead.
//
// Output
//   a flash on one wall of 96 patches, 80 steps: as a serial run
//   a room that shines: 2.5000 times as bright as its walls, 1 / (1 - 0.6) = 2.5000
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "on_nodes.hpp"

using namespace stretto;

constexpr int side = 4, patches = 6 * side * side, steps = 80;
constexpr double reflected = 0.6;

// clang-format off
STRETTO_KERNEL(radiate, (in<double, 2> earlier, in<double, 2> factor, in<int, 2> delay, in<double, 2> sent,
                         out<double, 2> now, int count, double share), {
  const int t = global_id(0);
  const int i = global_id(1);
  double lit = 0;
  for (int j = 0; j < count; ++j)
    if (delay(i, j) <= t) lit += factor(i, j) * earlier(t - delay(i, j), j);
  now(t, i) = sent(t, i) + share * lit;
})
// clang-format on

struct room {
  std::vector<double> factor;  // how much of what patch i sees is patch j
  std::vector<int> delay;      // steps from j to i
};

room make_room() {
  struct patch {
    double at[3], normal[3];
  };
  std::vector<patch> all;
  for (int axis = 0; axis < 3; ++axis)
    for (const int end : {0, 1})
      for (int a = 0; a < side; ++a)
        for (int b = 0; b < side; ++b) {
          patch& p = all.emplace_back(patch{{}, {}});
          p.at[axis] = end, p.normal[axis] = end ? -1 : 1;
          p.at[(axis + 1) % 3] = (a + 0.5) / side, p.at[(axis + 2) % 3] = (b + 0.5) / side;
        }
  room r;
  for (const patch& i : all) {
    double seen = 0;
    for (const patch& j : all) {
      double square = 0, out = 0, in = 0;  // distance, and cosines times it
      for (int k = 0; k < 3; ++k) {
        const double d = j.at[k] - i.at[k];
        square += d * d, out += d * i.normal[k], in -= d * j.normal[k];
      }
      const double f = square > 0 ? std::max(0.0, out) * std::max(0.0, in) / (square * square) : 0;
      r.factor.push_back(f), r.delay.push_back(1 + static_cast<int>(5 * std::sqrt(square)));
      seen += f;
    }
    std::for_each(r.factor.end() - patches, r.factor.end(),
                  [&](double& f) { f /= seen; });  // every patch sees walls all round
  }
  return r;
}

using rows_of_room = std::vector<double>;

rows_of_room on_nodes(const room& r, const rows_of_room& sent) {
  const box all_steps({0, 0}, {steps, patches}), pairs({0, 0}, {patches, patches});
  const buffer<double, 2> factor(pairs, r.factor.data()), emitted(all_steps, sent.data()),
      radiated(all_steps, {.name = "radiated"});
  const buffer<int, 2> delay(pairs, r.delay.data());
  const auto pairs_of = [](const box& part) { return box({part.min()[1], 0}, {part.max()[1], patches}); };
  for (int t = 0; t < steps; ++t)
    launch(radiate, box({t, 0}, {t + 1, patches}), radiated(fixed({{0, 0}, {t, patches}})), factor(pairs_of),
           delay(pairs_of), emitted(one_to_one), radiated(one_to_one), patches, reflected);
  const auto later = radiated.read();
  if (is_dry_run()) return {};  // nothing is computed then (example 40)
  const auto& seen = later.get();
  rows_of_room result;
  for (int t = 0; t < steps; ++t)
    for (int i = 0; i < patches; ++i) result.push_back(seen.view()(t, i));
  return result;
}

rows_of_room serially(const room& r, rows_of_room b) {
  for (int t = 0; t < steps; ++t)
    for (int i = 0; i < patches; ++i) {
      double lit = 0;
      for (int j = 0; j < patches; ++j) {
        const auto pair = std::size_t(i * patches + j);
        if (r.delay[pair] <= t) lit += r.factor[pair] * b[std::size_t((t - r.delay[pair]) * patches + j)];
      }
      b[std::size_t(t * patches + i)] += reflected * lit;
    }
  return b;
}

void program() {
  const room r = make_room();
  rows_of_room flash(steps * patches), shine(steps * patches, 1.0);
  for (int i = 0; i < side * side; ++i) flash[std::size_t(i)] = 1;
  const rows_of_room after_flash = on_nodes(r, flash), expected = serially(r, flash), bright = on_nodes(r, shine);
  if (is_dry_run() || this_node() != 0) return;
  double error = 0;
  for (std::size_t i = 0; i < flash.size(); ++i) error = std::max(error, std::abs(after_flash[i] - expected[i]));
  std::printf("a flash on one wall of %d patches, %d steps: %s a serial run\n", patches, steps,
              error < 1e-12 ? "as" : "NOT as");
  std::printf("a room that shines: %.4f times as bright as its walls, 1 / (1 - %.1f) = %.4f\n", bright.back(),
              reflected, 1 / (1 - reflected));
}

int main(int count, char** arguments) { return run_on_nodes(program, count > 1 ? arguments[1] : nullptr); }
