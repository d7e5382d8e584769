#include "demo/wave/layered_earth.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "demo/wave/image.hpp"

using namespace stretto::wave;

TEST_CASE("the shipped picture is what make_medium writes") {
  const auto shipped = read_image(STRETTO_SOURCE_DIR "/examples/media/layered_earth.png");
  const auto drawn = layered_earth({600, 800});
  REQUIRE(shipped.size == drawn.size);
  int different = 0;
  for (std::size_t i = 0; i < drawn.pixels.size(); ++i) {
    const double off = std::abs(shipped.grey[i] * 255 - drawn.pixels[i]);
    REQUIRE(off < 1.5);  // another machine's sine may round one grey up or down
    different += off > 0.5;
  }
  CHECK(different < 100);
}

TEST_CASE("the layered earth has a sea, salt, gas, a fault and layers that are not in order of speed") {
  CHECK(layered_earth_mps(1000, 100) == 1500);
  CHECK(layered_earth_mps(4600, 2200) == 4500);
  CHECK(layered_earth_mps(4450, 5900) == 4500);
  CHECK(layered_earth_mps(2500, 1850) == 1750);
  // Across the fault at 3,000 m the velocity jumps.
  CHECK(std::abs(layered_earth_mps(5330, 2960) - layered_earth_mps(5370, 2960)) > 100);
  std::set<int> kinds;
  bool inversion = false;
  double before = 0;
  for (int depth = 800; depth < 6000; depth += 20) {
    const double v = layered_earth_mps(1000, depth);
    inversion = inversion || v < before - 200;
    before = v;
    kinds.insert(int(v / 300));
  }
  CHECK(inversion);
  CHECK(kinds.size() >= 6);
}

TEST_CASE("every velocity of the layered earth can be told by a grey") {
  for (double x = 5; x < layered_earth_width_m; x += 37)
    for (double depth = 5; depth < layered_earth_depth_m; depth += 37) {
      const double v = layered_earth_mps(x, depth);
      REQUIRE(v >= 1500);
      REQUIRE(v <= 4500);
    }
}
