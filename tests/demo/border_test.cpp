#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "demo/wave/energy.hpp"
#include "demo/wave/serial_reference.hpp"

using namespace stretto::wave;

namespace {

problem uniform_ground(extent size, int width, int steps, double coefficient) {
  const double courant = 0.5;
  // As choose_time_scale has it: 12 cells to the wavelength of the peak.
  problem wave{
      {border(size, width, courant), {{size.rows / 2, size.columns / 2}}, wavelet(1.0 / 24, courant / 0.5, steps)},
      field(size),
      {}};
  for (int r = 0; r < size.rows; ++r)
    for (int c = 0; c < size.columns; ++c) wave.coefficient(r, c) = float(coefficient);
  return wave;
}

/// Energy at the end as a share of that when the source falls silent.
double energy_left(const problem& wave) {
  const auto last_sound = std::find_if(wave.wavelet.rbegin(), wave.wavelet.rend(), [](float x) { return x != 0; });
  const auto silent = wave.wavelet.rend() - last_sound + 1;
  double given = 0, last = 0;
  field before(wave.size());
  run_serial(wave, [&](const field& u, int step) {
    last = energy_between(u.view(), std::as_const(before).view(), wave.coefficient.view()).total();
    if (step == silent) given = last;
    for (int r = 0; r < u.size().rows; ++r) std::copy_n(u.view().row(r), u.size().columns, before.view().row(r));
  });
  return last / given;
}

}  // namespace

TEST_CASE("a wave leaves through the border: less than a ten-thousandth of its energy comes back") {
  // 320 cells at half a cell a step: after 640 steps the wave has reached the corners and could be back.
  const extent size{320, 320};
  const double absorbed = energy_left(uniform_ground(size, border_width(size), 900, 0.25));
  CAPTURE(absorbed);
  CHECK(absorbed < 1e-4);
}

TEST_CASE("without a border all of the energy stays") {
  const double left = energy_left(uniform_ground({120, 120}, 0, 600, 0.25));
  CHECK(left == doctest::Approx(1).epsilon(1e-5));
}

TEST_CASE("a slow wave is absorbed as well as the fastest one, for which the border is made") {
  const extent size{320, 320};
  auto wave = uniform_ground(size, border_width(size), 1800, 0.25 / 4);
  wave.wavelet = wavelet(1.0 / 48, 1.0, 1800);
  const double absorbed = energy_left(wave);
  CAPTURE(absorbed);
  CHECK(absorbed < 1e-4);
}

TEST_CASE("factors fall from one to the edges, evenly on opposite sides") {
  const extent size{100, 60};
  const border edge(size, 7, 0.5);
  const auto factors = edge.part(whole(size));
  for (int i = 0; i < 7; ++i) {
    CHECK(factors.column[i] < factors.column[i + 1]);
    CHECK(factors.column[i] == factors.column[59 - i]);
    CHECK(factors.row[i] == factors.row[99 - i]);
  }
  CHECK(factors.column[0] > 0);
  CHECK(factors.plain_begin == 7);
  CHECK(factors.plain_end == 53);
  CHECK(edge.depth_at(0, 30) == 1);
  CHECK(edge.depth_at(50, 6) == doctest::Approx(1.0 / 7));
  CHECK(edge.depth_at(50, 30) == 0);
}

TEST_CASE("a tile's factors are its cells' factors") {
  const extent size{64, 90};
  const border edge(size, 8, 0.5);
  const auto all = edge.part(whole(size));
  for (const rectangle tile :
       {rectangle{0, 20, 0, 10}, {20, 64, 4, 30}, {10, 12, 40, 50}, {50, 64, 80, 90}, {0, 4, 84, 90}}) {
    const auto part = edge.part(tile);
    for (int r = 0; r < tile.rows(); ++r) CHECK(part.row[r] == all.row[tile.row + r]);
    for (int c = 0; c < tile.columns(); ++c) {
      CHECK(part.column[c] == all.column[tile.column + c]);
      if (c >= part.plain_begin && c < part.plain_end) CHECK(part.column[c] == 1.0f);
    }
    CHECK(part.plain_begin >= 0);
    CHECK(part.plain_begin <= part.plain_end);
    CHECK(part.plain_end <= tile.columns());
  }
}

TEST_CASE("small grids have narrow borders, tiny ones none") {
  CHECK(border_width({600, 800}) == 48);
  CHECK(border_width({80, 1000}) == 10);
  CHECK(border_width({31, 31}) == 0);
}
