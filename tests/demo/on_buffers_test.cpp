// on_buffers_test.cpp - life and light on buffers: the same as serial runs on any number of nodes, and what is known of both.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include "../dist/simulated.hpp"
#include "demo/on_buffers/life.hpp"
#include "demo/on_buffers/room_light.hpp"

using namespace on_buffers;

TEST_CASE("a board of life is that of a serial run on one to four nodes, on the host and on devices") {
  const life_board first = first_board(61, 93), expected = life_serially(first, 70);
  for (const std::uint32_t nodes : {1u, 2u, 3u, 4u})
    for (const char* devices : {"none", "sim:2"})
      stretto::test::on_nodes_of(stretto::simulated_job({.nodes = nodes}), {.workers = 1, .devices = devices},
                                 [&](stretto::runtime&) { CHECK(life_on_nodes(first, 70) == expected); });
}

TEST_CASE("each gun fires a glider of 5 cells every 30 steps, and pulsars are themselves again") {
  life_board b = first_board(160, 240);
  const auto at_first = alive_on(b);
  for (int shots = 1; shots <= 8; ++shots) {
    b = life_serially(std::move(b), 30);
    CHECK(alive_on(b) == at_first + 10 * shots);
  }
}

TEST_CASE("in a picture of a board what is alive is white, and what never was is darker than what was") {
  const life_board b = life_serially(first_board(60, 90), 12);
  const auto picture = picture_of(b, 2);
  CHECK(picture.size == stretto::wave::extent{120, 180});
  REQUIRE(picture.pixels.size() == 120 * 180);
  int wrong = 0;
  for (int y = 0; y < 120; ++y)
    for (int x = 0; x < 180; ++x) {
      const auto cell = static_cast<std::size_t>(y / 2 * 90 + x / 2);
      const auto colour = picture.pixels[static_cast<std::size_t>(y * 180 + x)];
      wrong += (colour == stretto::wave::rgb{255, 255, 255}) != (b.alive[cell] == 1);
      wrong += (colour.blue < 40) != (b.since[cell] < 0);
    }
  CHECK(wrong == 0);
}

TEST_CASE("a patch of a room sees walls all round, and light takes as long there as back") {
  const room r = make_room(3);
  REQUIRE(r.patches == 90);
  const auto at = [&](int i, int j) { return static_cast<std::size_t>(i * r.patches + j); };
  for (int i = 0; i < r.patches; ++i) {
    CHECK(std::accumulate(&r.factor[at(i, 0)], &r.factor[at(i, 0)] + r.patches, 0.0) == doctest::Approx(1));
    for (int j = 0; j < r.patches; ++j) {
      if (r.delay[at(i, j)] < 1 || r.delay[at(i, j)] != r.delay[at(j, i)]) FAIL("light from " << i << " to " << j);
      if (i / 9 == j / 9 && i < 9 && r.factor[at(i, j)] != 0) FAIL("a patch sees one of its own wall");
    }
  }
}

TEST_CASE("light in a room is that of a serial run on one to four nodes, on the host and on devices") {
  const room r = make_room(3);
  const light l{.steps = 50};
  const std::vector<float> expected = light_serially(r, l);
  for (const std::uint32_t nodes : {1u, 2u, 3u, 4u})
    for (const char* devices : {"none", "sim:2"})
      stretto::test::on_nodes_of(stretto::simulated_job({.nodes = nodes}), {.workers = 1, .devices = devices},
                                 [&](stretto::runtime&) { CHECK(largest_difference(light_on_nodes(r, l), expected) == 0); });
}

TEST_CASE("a patch is lit when the light of the lamp has reached it, and not before") {
  const room r = make_room(4);
  const std::vector<float> radiated = light_serially(r, {.steps = 48});
  int direct = 0;
  for (int i = 0; i < r.patches; ++i) {
    const auto pair = static_cast<std::size_t>(i * r.patches + lamp_of(r));
    if (r.factor[pair] == 0) continue;
    ++direct;
    for (int t = 1; t < r.delay[pair]; ++t) CHECK(radiated[static_cast<std::size_t>(t * r.patches + i)] == 0);
    CHECK(radiated[static_cast<std::size_t>(r.delay[pair] * r.patches + i)] > 0);
  }
  CHECK(direct == r.patches - 16);  // all but those of its own wall
}

TEST_CASE("each patch of a room is drawn once") {
  const room r = make_room(3);
  std::vector<float> none(static_cast<std::size_t>(r.patches));
  const auto drawn = [&](const std::vector<float>& bright) {
    const auto picture = unfolded(r, bright.data(), 1, 2);
    CHECK(picture.size == stretto::wave::extent{18, 36});
    return picture.pixels;
  };
  CHECK(std::ranges::count(drawn(none), 1) == r.patches * 4);
  for (int i = 0; i < r.patches; ++i) {
    std::vector<float> one = none;
    one[static_cast<std::size_t>(i)] = 1;
    CHECK(std::ranges::count(drawn(one), 255) == 4);
  }
}
