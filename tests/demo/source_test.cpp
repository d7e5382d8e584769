#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "demo/wave/serial_reference.hpp"
#include "demo/wave/source.hpp"
#include "demo/wave/tiling.hpp"

using namespace stretto::wave;

TEST_CASE("a Ricker wavelet is one at its centre, even, without a mean, and zero where it should be") {
  CHECK(ricker(10, 0) == 1);
  CHECK(ricker(10, 0.03) == ricker(10, -0.03));
  CHECK(ricker(10, 1 / (10 * std::sqrt(2.0) * 3.14159265358979)) == doctest::Approx(0).epsilon(1e-12));
  double sum = 0;
  for (int n = -1000; n <= 1000; ++n) sum += ricker(10, n * 0.0005);
  CHECK(std::abs(sum) < 1e-9);
}

TEST_CASE("the wavelet of a run starts from nearly nothing, peaks after one and a half periods and ends") {
  const auto w = wavelet(20, 0.001, 400);
  REQUIRE(w.size() == 400);
  CHECK(std::abs(w.front()) < 1e-7);
  CHECK(std::max_element(w.begin(), w.end()) - w.begin() == 75);
  CHECK(std::all_of(w.begin() + 151, w.end(), [](float x) { return x == 0; }));
  CHECK(w[149] != 0);
}

TEST_CASE("a source acts in the one tile that holds it") {
  const extent size{10, 12};
  field coefficient(size);
  for (int r = 0; r < 10; ++r)
    for (int c = 0; c < 12; ++c) coefficient(r, c) = 0.5f;
  field u(size);
  for (const auto& tile : cut(size, 3, 2).tiles)
    inject(u.view().part(tile), coefficient.view().part(tile), tile, {{5, 4}, {0, 0}, {5, 4}}, 3.0f);
  for (int r = 0; r < 10; ++r)
    for (int c = 0; c < 12; ++c) CHECK(u(r, c) == (r == 5 && c == 4 ? 3.0f : r == 0 && c == 0 ? 1.5f : 0.0f));
}

TEST_CASE("a wave travels at the ground's velocity") {
  // A column of sources sends plane waves to both sides; what the edges do to them comes later than 300 steps.
  const extent size{400, 500};
  constexpr double courant = 0.5;
  constexpr int source = 200, peak_step = 90;
  problem wave{{border(size, 0, courant), {}, wavelet(1.0 / 60, 1.0, 300)}, field(size), {}};
  for (int r = 0; r < size.rows; ++r) wave.sources.push_back({r, source});
  for (int r = 0; r < size.rows; ++r)
    for (int c = 0; c < size.columns; ++c) wave.coefficient(r, c) = float(courant * courant);
  std::vector<double> near, far;
  run_serial(wave, [&](const field& u, int) {
    near.push_back(u(200, source + 20));
    far.push_back(u(200, source + 80));
  });
  // In one dimension the answer is the integral of the wavelet: its extremes lie evenly around the wavelet's peak.
  const auto arrival = [](const std::vector<double>& u) {
    const auto most = std::max_element(u.begin(), u.end()), least = std::min_element(u.begin(), u.end());
    return 0.5 * double((most - u.begin()) + (least - u.begin()));
  };
  CHECK(arrival(near) == doctest::Approx(peak_step + 20 / courant).epsilon(0.02));
  CHECK(arrival(far) - arrival(near) == doctest::Approx(60 / courant).epsilon(0.02));
}
