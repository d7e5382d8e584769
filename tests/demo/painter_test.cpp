#include "demo/wave/painter.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "demo/wave/colour.hpp"

using namespace stretto::wave;

namespace {

medium flat_ground(extent size) { return {size, 10, std::vector<float>(std::size_t(size.cells()), 2000), 2000, 2000}; }
const rgb& pixel(const rgb_image& image, int r, int c) { return image.pixels[std::size_t(r * image.size.columns + c)]; }
double distance(const oklab& a, const oklab& b) {
  return std::hypot(a.lightness - b.lightness, a.green_red - b.green_red, a.blue_yellow - b.blue_yellow);
}

}  // namespace

TEST_CASE("colours survive the way to Oklab and back") {
  for (int r = 0; r < 256; r += 15)
    for (int g = 0; g < 256; g += 15)
      for (int b = 0; b < 256; b += 15) {
        const rgb colour{std::uint8_t(r), std::uint8_t(g), std::uint8_t(b)};
        REQUIRE(to_rgb(to_oklab(colour)) == colour);
      }
  const auto white = to_oklab({255, 255, 255});
  CHECK(white.lightness == doctest::Approx(1).epsilon(1e-4));
  CHECK(std::abs(white.green_red) < 1e-4);
  CHECK(std::abs(white.blue_yellow) < 1e-4);
  const auto red = to_oklab({255, 0, 0});  // the published value
  CHECK(red.lightness == doctest::Approx(0.628).epsilon(1e-3));
  CHECK(red.green_red == doctest::Approx(0.225).epsilon(2e-3));
}

TEST_CASE("without a wave the colour is grey and rises with the medium's velocity") {
  double before = -1;
  for (double medium = 0; medium <= 1; medium += 0.1) {
    const auto c = wave_colour(medium, 0);
    CHECK((c.red == c.green && c.green == c.blue));
    CHECK(c.red > before);
    before = c.red;
  }
}

TEST_CASE("pushes are warm, pulls cool, and equal amounts are equally far from rest") {
  for (const double medium : {0.0, 0.5, 1.0})
    for (const double amplitude : {0.05, 0.3, 1.0}) {
      const auto rest = to_oklab(wave_colour(medium, 0));
      const auto push = to_oklab(wave_colour(medium, amplitude)), pull = to_oklab(wave_colour(medium, -amplitude));
      CHECK(push.blue_yellow > 0);
      CHECK(pull.blue_yellow < 0);
      CHECK(push.lightness == doctest::Approx(pull.lightness).epsilon(0.03));
      CHECK(distance(rest, push) == doctest::Approx(distance(rest, pull)).epsilon(0.1));
    }
  CHECK(wave_colour(0.5, 7) == wave_colour(0.5, 1));
}

TEST_CASE("stronger waves are further from the grey of the medium") {
  double before = -1;
  for (double a = 0; a <= 1; a += 0.1) {
    const double now = distance(to_oklab(wave_colour(0.4, 0)), to_oklab(wave_colour(0.4, a)));
    CHECK(now > before);
    before = now;
  }
}

TEST_CASE("a picture is at most as wide as asked, with whole blocks of cells to the pixel") {
  const extent size{100, 330};
  const painter p(flat_ground(size), border(size, 0, 0.5), {}, 120);
  CHECK(p.size() == extent{34, 110});
  const field rest(size);
  CHECK(p.still(rest.view()).pixels.size() == 34 * 110);
  CHECK(p.frame(rest.view()).size == extent{34, 110});
  const painter exact(flat_ground(size), border(size, 0, 0.5), {}, 330);
  CHECK(exact.size() == size);
}

TEST_CASE("where the wave pushes is warm, where it pulls cool, and its scale does not matter") {
  const extent size{20, 40};
  const painter p(flat_ground(size), border(size, 0, 0.5), {}, 40);
  field u(size), faint(size);
  for (int r = 0; r < 20; ++r) {
    for (int c = 0; c < 10; ++c) u(r, c) = 5;
    for (int c = 10; c < 20; ++c) u(r, c) = -5;
    for (int c = 0; c < 20; ++c) faint(r, c) = u(r, c) * 1e-6f;
  }
  const auto picture = p.still(u.view());
  CHECK(pixel(picture, 10, 5) == wave_colour(0, 1));
  CHECK(pixel(picture, 10, 15) == wave_colour(0, -1));
  CHECK(to_oklab(pixel(picture, 10, 30)).blue_yellow == doctest::Approx(0).epsilon(1e-3));
  CHECK(p.still(faint.view()).pixels == picture.pixels);
}

TEST_CASE("sources are marked with a light core and a dark rim, at the edge of the field too") {
  const extent size{60, 80};
  const painter p(flat_ground(size), border(size, 0, 0.5), {{30, 40}, {0, 79}}, 80);
  const field rest(size);
  const auto still = p.still(rest.view());
  CHECK(pixel(still, 30, 40) == rgb{255, 255, 255});
  CHECK(pixel(still, 0, 79) == rgb{255, 255, 255});
  CHECK(pixel(still, 31, 42).red < 60);
  CHECK(pixel(still, 10, 10) == pixel(still, 50, 10));
}

TEST_CASE("frames show what stills show, in the palette's colours") {
  const extent size{40, 50};
  auto ground = flat_ground(size);
  ground.fastest_mps = 4000;
  for (int r = 20; r < 40; ++r)
    for (int c = 0; c < 50; ++c) ground.velocity_mps[std::size_t(r * 50 + c)] = 4000;
  const painter p(ground, border(size, 0, 0.5), {{10, 10}}, 50);
  field u(size);
  for (int r = 0; r < 40; ++r)
    for (int c = 0; c < 50; ++c) u(r, c) = std::sin(0.3f * float(r)) * std::cos(0.2f * float(c));
  const auto palette = painter::palette();
  REQUIRE(palette.size() <= 256);
  const auto still = p.still(u.view());
  const auto frame = p.frame(u.view());
  double worst = 0;
  for (std::size_t i = 0; i < frame.pixels.size(); ++i) {
    REQUIRE(frame.pixels[i] < palette.size());
    const bool near_mark = std::hypot(double(i / 50) - 10, double(i % 50) - 10) < 5;
    if (!near_mark) worst = std::max(worst, distance(to_oklab(palette[frame.pixels[i]]), to_oklab(still.pixels[i])));
  }
  CHECK(worst < 0.08);
}

TEST_CASE("the border is darker, the more the nearer to the edge") {
  const extent size{64, 64};
  const painter p(flat_ground(size), border(size, 8, 0.5), {}, 64);
  const auto picture = p.still(field(size).view());
  CHECK(pixel(picture, 0, 32).red < pixel(picture, 5, 32).red);
  CHECK(pixel(picture, 5, 32).red < pixel(picture, 20, 32).red);
  CHECK(pixel(picture, 20, 32) == pixel(picture, 32, 32));
}
