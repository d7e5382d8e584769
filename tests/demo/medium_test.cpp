#include "demo/wave/medium.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "demo/wave/problem.hpp"
#include "demo/wave/stencil.hpp"

using namespace stretto::wave;

namespace {
grey_image ramp_across(int rows, int columns) {
  grey_image image{{rows, columns}, {}};
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) image.grey.push_back((float(c) + 0.5f) / float(columns));
  return image;
}
}  // namespace

TEST_CASE("resampling to the same size changes nothing") {
  const auto image = ramp_across(4, 7);
  CHECK(resample(image, {4, 7}).grey == image.grey);
}

TEST_CASE("a ramp stays a ramp, enlarged and shrunk") {
  for (const int columns : {30, 200}) {
    const auto image = resample(ramp_across(8, 60), {16, columns});
    CHECK(image.size == extent{16, columns});
    for (int c = 6; c < columns - 6; ++c)
      CHECK(image.grey[std::size_t(5 * columns + c)] == doctest::Approx((c + 0.5) / columns).epsilon(1e-3));
  }
}

TEST_CASE("shrinking averages: a fine chequerboard becomes even grey") {
  grey_image board{{64, 64}, {}};
  for (int i = 0; i < 64 * 64; ++i) board.grey.push_back(float((i / 64 + i) % 2));
  const auto small = resample(board, {8, 8});
  for (const float g : small.grey) CHECK(g == doctest::Approx(0.5).epsilon(0.02));
}

TEST_CASE("a uniform picture stays uniform at any size and values never leave the range") {
  CHECK(rc::check([] {
    const auto side = rc::gen::inRange(1, 40);
    const extent from{*side, *side}, to{*side, *side};
    const auto grey = float(*rc::gen::inRange(0, 256)) / 255.0f;
    const auto image = resample({from, std::vector<float>(std::size_t(from.cells()), grey)}, to);
    RC_ASSERT(image.size == to);
    RC_ASSERT(std::ptrdiff_t(image.grey.size()) == to.cells());
    for (const float g : image.grey) RC_ASSERT(std::abs(g - grey) < 1e-5f && g >= 0 && g <= 1);
  }));
}

TEST_CASE("grey maps linearly to velocity, and time steps and frequency follow from the extremes") {
  const auto ground = make_medium({{1, 3}, {0, 0.5f, 1}}, {1500, 4500}, 10);
  CHECK(ground.velocity_mps == std::vector<float>{1500, 3000, 4500});
  CHECK(ground.slowest_mps == 1500);
  CHECK(ground.fastest_mps == 4500);
  const auto time = choose_time_scale(ground);
  CHECK(time.step_s == doctest::Approx(0.5 * 10 / 4500));
  CHECK(time.frequency_hz == doctest::Approx(12.5));
  const auto c = coefficients(ground, time.step_s);
  CHECK(c(0, 0) == doctest::Approx(0.25 / 9));
  CHECK(c(0, 2) == doctest::Approx(0.25));
}

TEST_CASE("whatever the picture, the coefficients are inside the stability limit") {
  CHECK(rc::check([] {
    grey_image image{{6, 6}, {}};
    for (int i = 0; i < 36; ++i) image.grey.push_back(float(*rc::gen::inRange(0, 65536)) / 65535.0f);
    const auto wave = pose(make_medium(image, {}, 5), {{3, 3}}, 3);
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c) RC_ASSERT(wave.coefficient(r, c) > 0 && wave.coefficient(r, c) < stable_coefficient);
    RC_ASSERT(wave.steps() == 3);
  }));
}
