#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "demo/wave/stencil.hpp"

using namespace stretto::wave;

namespace {

constexpr double pi = std::numbers::pi;

/// Repeats the field periodically into its halo, so that a sine is a solution up to the edges.
void wrap(field& u) {
  const int n = u.size().rows, m = u.size().columns;
  for (int r = 0; r < n; ++r)
    for (int k = 1; k <= halo; ++k) {
      u(r, -k) = u(r, m - k);
      u(r, m - 1 + k) = u(r, k - 1);
    }
  for (int c = 0; c < m; ++c)
    for (int k = 1; k <= halo; ++k) {
      u(-k, c) = u(n - k, c);
      u(n - 1 + k, c) = u(k - 1, c);
    }
}

double standing_wave(int r, int c, int cells, double phase) {
  return std::sin(2 * pi * r / cells) * std::sin(2 * pi * c / cells) * std::cos(phase);
}

void fill(field& u, double phase) {
  const int cells = u.size().rows;
  for (int r = 0; r < cells; ++r)
    for (int c = 0; c < cells; ++c) u(r, c) = float(standing_wave(r, c, cells, phase));
}

field uniform(extent size, double value) {
  field f(size);
  for (int r = 0; r < size.rows; ++r)
    for (int c = 0; c < size.columns; ++c) f(r, c) = float(value);
  return f;
}

/// The largest error after one and a quarter periods (when it falls fastest, so that delays show) of the analytic
/// standing wave sin(kx) sin(ky) cos(wt), w = sqrt(2) k v, with one wavelength over `cells` and `steps` steps to the
/// period.
double error_of_wave(int cells, int steps) {
  const extent size{cells, cells};
  const double phase_step = 2 * pi / steps;                               // w dt
  const double courant = phase_step / (std::sqrt(2.0) * 2 * pi / cells);  // v dt / h
  REQUIRE(courant * courant <= stable_coefficient);
  const field coefficient = uniform(size, courant * courant);
  const std::vector<float> one(std::size_t(cells), 1.0f);
  field older(size), current(size);
  fill(older, -phase_step);
  fill(current, 0);
  for (int n = 0; n < steps + steps / 4; ++n) {
    wrap(current);
    step_tile(older.view(), current.view(), coefficient.view(), {one.data(), one.data(), 0, cells});
    std::swap(older, current);
  }
  double worst = 0;
  for (int r = 0; r < cells; ++r)
    for (int c = 0; c < cells; ++c)
      worst = std::max(worst, std::abs(current(r, c) - standing_wave(r, c, cells, pi / 2)));
  return worst;
}

/// The largest error of the discrete Laplacian of a standing wave, relative to the true one's largest value.
double laplacian_error(int cells) {
  const extent size{cells, cells};
  const field coefficient = uniform(size, 1);
  const std::vector<float> one(std::size_t(cells), 1.0f);
  field u(size), next(size);
  fill(u, 0);
  wrap(u);
  step_tile(next.view(), u.view(), coefficient.view(), {one.data(), one.data(), 0, cells});
  const double k = 2 * pi / cells;
  double worst = 0;
  for (int r = 0; r < cells; ++r)
    for (int c = 0; c < cells; ++c) {
      const double discrete = double(next(r, c)) - 2.0 * u(r, c);
      worst = std::max(worst, std::abs(discrete + 2 * k * k * standing_wave(r, c, cells, 0)) / (2 * k * k));
    }
  return worst;
}

}  // namespace

TEST_CASE("halving the cells makes the Laplacian sixteen times as exact") {
  const double coarse = laplacian_error(8), middle = laplacian_error(16), fine = laplacian_error(32);
  CAPTURE(coarse);
  CAPTURE(middle);
  CAPTURE(fine);
  CHECK(coarse / middle == doctest::Approx(16).epsilon(0.1));
  CHECK(middle / fine == doctest::Approx(16).epsilon(0.2));  // rounding to float shows here
}

TEST_CASE("halving the time step makes a wave four times as exact") {
  // 48 cells to the wavelength: nearly all of the error is the time step's, and the steps are few enough for float.
  const double coarse = error_of_wave(48, 60), fine = error_of_wave(48, 120);
  CAPTURE(coarse);
  CAPTURE(fine);
  CHECK(coarse / fine == doctest::Approx(4).epsilon(0.1));
}

TEST_CASE("cells halved and steps quartered together make a wave sixteen times as exact") {
  const double coarse = error_of_wave(12, 24), fine = error_of_wave(24, 96);
  CAPTURE(coarse);
  CAPTURE(fine);
  CHECK(coarse / fine == doctest::Approx(16).epsilon(0.15));
}

TEST_CASE("the scheme is stable just inside the limit and grows just outside") {
  for (const bool inside : {true, false}) {
    const extent size{48, 48};
    const field coefficient = uniform(size, stable_coefficient * (inside ? 0.99 : 1.03));
    const std::vector<float> one(48, 1.0f);
    field older(size), current(size);
    current(24, 24) = 1;
    for (int n = 0; n < 600; ++n) {
      step_tile(older.view(), current.view(), coefficient.view(), {one.data(), one.data(), 0, 48});
      std::swap(older, current);
    }
    double sum = 0;  // not a number once it has overflown
    for (int r = 0; r < 48; ++r)
      for (int c = 0; c < 48; ++c) sum += std::abs(double(current(r, c)));
    CAPTURE(sum);
    CHECK((sum < 1000) == inside);
  }
}
