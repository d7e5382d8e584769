// on_buffers_test.cpp - demonstrations on buffers: the same as serial runs on any number of nodes, and checks that see
// what is wrong.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include "../dist/simulated.hpp"
#include "demo/on_buffers/body_discs.hpp"
#include "demo/on_buffers/grown_patterns.hpp"
#include "demo/on_buffers/life.hpp"
#include "demo/on_buffers/matrix_tiles.hpp"
#include "demo/on_buffers/random_streams.hpp"
#include "demo/on_buffers/room_light.hpp"
#include "demo/on_buffers/sound.hpp"
#include "demo/wave/medium.hpp"
#include "demo/wave/serial_reference.hpp"

using namespace on_buffers;

TEST_CASE("a board of life is that of a serial run on one to four nodes, on the host and on devices") {
  const life_board first = first_board(61, 93), expected = life_serially(first, 70);
  for (const std::uint32_t nodes : {1u, 2u, 3u, 4u})
    for (const char* devices : {"none", "sim:2"})
      stretto::test::on_nodes_of(stretto::simulated_job({.nodes = nodes}), {.workers = 1, .devices = devices},
                                 [&](stretto::runtime&) { CHECK(life_on_nodes(first, 70) == expected); });
}

TEST_CASE("sound in the ground is that of a serial run on one to four nodes, on the host and on devices") {
  namespace wave = stretto::wave;
  const wave::extent size{70, 90};
  wave::grey_image picture{size, std::vector<float>(static_cast<std::size_t>(size.cells()))};
  for (std::size_t i = 0; i < picture.grey.size(); ++i) picture.grey[i] = static_cast<float>(i * 7919 % 101) / 100;
  const wave::problem problem = wave::pose(wave::make_medium(picture, {}, 10), {{3, 20}, {35, 45}, {69, 89}}, 60);
  const wave::serial_result expected = wave::run_serial(problem);
  for (const std::uint32_t nodes : {1u, 2u, 3u, 4u})
    for (const char* devices : {"none", "sim:2"})
      stretto::test::on_nodes_of(
          stretto::simulated_job({.nodes = nodes}), {.workers = 1, .devices = devices}, [&](stretto::runtime&) {
            const sound heard = sound_on_nodes(problem);
            CHECK(wave::largest_difference(heard.last.view(), expected.last.view()) == 0);
            CHECK(wave::largest_difference(heard.before_last.view(), expected.before_last.view()) == 0);
          });
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
      stretto::test::on_nodes_of(
          stretto::simulated_job({.nodes = nodes}), {.workers = 1, .devices = devices},
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

TEST_CASE("bodies are those of a serial run on one to three nodes, at each moment, and keep their momentum") {
  const gravity::bodies first = two_discs(31);
  for (const std::uint32_t nodes : {1u, 2u, 3u})
    for (const char* devices : {"none", "sim:2"})
      stretto::test::on_nodes_of(stretto::simulated_job({.nodes = nodes}), {.workers = 1, .devices = devices},
                                 [&](stretto::runtime&) {
                                   const auto moments = gravity::on_nodes(first, {12, 0.02, 4});
                                   REQUIRE(moments.size() == 3);
                                   for (int m = 1; m <= 3; ++m)
                                     CHECK(gravity::difference(moments[static_cast<std::size_t>(m - 1)],
                                                               gravity::serially(first, {4 * m, 0.02})) == 0);
                                   CHECK(drift_of_all(moments.back()) < 1e-14);
                                 });
}

TEST_CASE("a body that is pushed changes the momentum and the energy of all") {
  gravity::bodies b = two_discs(10);
  CHECK(drift_of_all(b) < 1e-14);
  const gravity::bodies first = b;
  b.v[3].x += 1;
  CHECK(drift_of_all(b) == doctest::Approx(0.1));
  CHECK(energy_changes(first, {first, b})[0] == 0);
  CHECK(energy_changes(first, {first, b})[1] > 0.01);
}

TEST_CASE("a product with one wrong element is none, and each node has computed a part") {
  const square a = left_factor(24), b = right_factor(24);
  for (const std::uint32_t nodes : {1u, 4u})
    stretto::test::on_nodes_of(stretto::simulated_job({.nodes = nodes}), {.workers = 1, .devices = "sim:2"},
                               [&](stretto::runtime&) {
                                 product p = product_on_nodes(a, b);
                                 for (std::uint32_t n = 0; n < nodes; ++n)
                                   CHECK(std::ranges::count(p.owner, static_cast<int>(n)) == 24 * 24 / nodes);
                                 CHECK(is_product(a, b, p.result, 20));
                                 p.result.elements[100] += 1;
                                 CHECK_FALSE(is_product(a, b, p.result, 20));
                               });
}

TEST_CASE("each wrong element of a pattern is found") {
  patterns::numbers one{0, 1, 1, 0}, two{1, 0, 1, 1}, three{1, 0, 0, 0, 1, 1, 1, 0};
  CHECK(wrong_parities(one) + wrong_binomials(two, 2) + wrong_trinomials(three, 2) == 0);
  for (auto* all : {&one, &two, &three})
    for (int& element : *all) {
      element = 1 - element;
      CHECK(wrong_parities(one) + wrong_binomials(two, 2) + wrong_trinomials(three, 2) == 1);
      element = 1 - element;
    }
}

TEST_CASE("sums of random numbers follow their law, and others do not") {
  const streams s{.columns = 5, .rows = 4, .rounds = 3, .sums = 100};
  const counts seen = counts_serially(s);
  CHECK(std::accumulate(seen.begin(), seen.end(), std::int64_t{0}) == s.all_sums());
  std::vector<double> expected = expected_counts(s.all_sums());
  CHECK(std::accumulate(expected.begin(), expected.end(), 0.0) == doctest::Approx(static_cast<double>(s.all_sums())));
  CHECK(chi_square(seen, expected) < 80);
  std::ranges::rotate(expected, expected.begin() + 2);
  CHECK(chi_square(seen, expected) > 300);
  for (const std::uint32_t nodes : {1u, 3u})
    stretto::test::on_nodes_of(stretto::simulated_job({.nodes = nodes}), {.workers = 1, .devices = "sim:2"},
                               [&](stretto::runtime&) { CHECK(counts_on_nodes(s) == seen); });
}
