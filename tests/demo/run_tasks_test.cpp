#include "demo/wave/run_tasks.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../campaign.hpp"
#include "../dist/simulated.hpp"
#include "../thrown_by.hpp"
#include "demo/wave/node_part.hpp"
#include "demo/wave/serial_reference.hpp"
#include "random_field.hpp"

using namespace stretto::wave;

namespace {

problem random_problem(extent size, unsigned seed, int steps, std::vector<position> sources) {
  return {{border(size, border_width(size), 0.5), std::move(sources), wavelet(0.08, 1.0, steps)},
          random_field(size, seed, 0.01f, 0.25f),
          {}};
}

tasks_result in_runtime(std::uint32_t workers, const problem& wave, const tiling& tiles,
                        const run_requests& requests = {}) {
  stretto::runtime rt({.workers = workers});
  tasks_result result;
  rt.run([&] { result = run_tasks(wave, tiles, requests); });
  return result;
}

/// The same on the nodes of a simulated job; node 0 asks.
tasks_result on_nodes(std::uint32_t nodes, std::uint32_t workers, const problem& wave, const tiling& tiles,
                      const run_requests& requests = {}) {
  tasks_result result;
  stretto::test::on_all_nodes({.nodes = nodes, .seed = tiles.tiles.size()}, workers, [&](stretto::runtime&) {
    if (stretto::this_node() == 0) result = run_tasks(wave, tiles, requests);
  });
  return result;
}

double difference(const tasks_result& a, const serial_result& b) {
  return std::max(largest_difference(std::as_const(a.last).view(), b.last.view()),
                  largest_difference(std::as_const(a.before_last).view(), b.before_last.view()));
}

std::string message_of(const problem& wave, const tiling& tiles, planned_failure failure) {
  try {
    in_runtime(2, wave, tiles, {.failure = failure});
  } catch (const stretto::error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("tasks and copies ordered by events give the serial loop's bits, whatever the tiling and the workers") {
  CHECK(rc::check([] {
    const extent size{*rc::gen::inRange(6, 90), *rc::gen::inRange(6, 150)};
    const auto tiles = cut(size, *rc::gen::inRange(1, std::min(9, size.columns / halo + 1)),
                           *rc::gen::inRange(1, std::min(9, size.rows / halo + 1)));
    const position at{*rc::gen::inRange(0, size.rows), *rc::gen::inRange(0, size.columns)};
    const auto wave = random_problem(size, *rc::gen::arbitrary<unsigned>(), *rc::gen::inRange(1, 80), {at});
    const auto tasks = in_runtime(std::uint32_t(*rc::gen::inRange(1, 4)), wave, tiles);
    RC_ASSERT(difference(tasks, run_serial(wave)) == 0.0);
    RC_ASSERT(tasks.steps == wave.steps());
    RC_ASSERT(tasks.step_tasks == tiles.tiles.size() * std::size_t(wave.steps()));
    RC_ASSERT(tasks.halo_copies == halo_copies(tiles).size() * std::size_t(wave.steps() - 1));
  }));
}

TEST_CASE("several nodes give the serial loop's bits, too") {
  for (unsigned seed = 0; seed < stretto::test::scaled(15u, 1'000u); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto up_to = [&](int most) { return 1 + int(random() % unsigned(most)); };
    const extent size{5 + up_to(60), 5 + up_to(60)};
    const auto tiles = cut(size, up_to(std::min(5, size.columns / halo)), up_to(std::min(5, size.rows / halo)));
    const auto wave = random_problem(size, seed, up_to(50), {{up_to(size.rows) - 1, up_to(size.columns) - 1}});
    std::vector<int> at;
    for (int n = up_to(9); n <= wave.steps(); n += up_to(9)) at.push_back(n);
    const auto serial = run_serial(wave);
    std::size_t painted = 0;
    const auto tasks = on_nodes(std::uint32_t(up_to(5)), std::uint32_t(up_to(2)), wave, tiles,
                                {.frame_steps = at, .paint = [&](field_view<const float>) { ++painted; }});
    CHECK(difference(tasks, serial) == 0.0);
    CHECK(tasks.steps == wave.steps());
    CHECK(painted == at.size());
    CHECK(tasks.step_tasks == tiles.tiles.size() * std::size_t(wave.steps()));
    CHECK(tasks.halo_copies == halo_copies(tiles).size() * std::size_t(wave.steps() - 1));
  }
}

TEST_CASE("a task of another node that throws ends the run with one error that names it") {
  const extent size{40, 60};
  const auto wave = random_problem(size, 9, 200, {{20, 30}});
  const std::vector<int> often{1, 50, 90, 110, 150, 200};
  for (const std::size_t tile : {1u, 6u, 3u})
    for (const int step : {0, 100, 199}) {
      const run_requests requests{
          .frame_steps = often, .paint = [](field_view<const float>) {}, .failure = planned_failure{tile, step}};
      const std::string told = stretto::test::thrown_by([&] { on_nodes(3, 1, wave, cut(size, 4, 2), requests); });
      CAPTURE(told);
      CHECK(told.find("error W19: task \"tile " + std::to_string(tile % 4) + "," + std::to_string(tile / 4) +
                      "\" failed") != std::string::npos);
    }
}

TEST_CASE("frames are the fields of their steps, in order, while the steps go on") {
  const extent size{60, 90};
  const auto wave = random_problem(size, 3, 50, {{30, 40}, {10, 80}});
  const std::vector<int> at{1, 2, 3, 17, 49, 50};
  std::vector<field> expected;
  run_serial(wave, [&](const field& u, int steps) {
    if (std::find(at.begin(), at.end(), steps) == at.end()) return;
    auto& copy = expected.emplace_back(size);
    for (int r = 0; r < size.rows; ++r)
      for (int c = 0; c < size.columns; ++c) copy(r, c) = u(r, c);
  });
  std::size_t painted = 0;
  const auto paint = [&](field_view<const float> u) {
    REQUIRE(painted < expected.size());
    CHECK(largest_difference(u, std::as_const(expected[painted]).view()) == 0.0);
    ++painted;
  };
  const auto tasks = in_runtime(3, wave, cut(size, 3, 4), {.frame_steps = at, .paint = paint});
  CHECK(painted == at.size());
  CHECK(difference(tasks, run_serial(wave)) == 0.0);
}

TEST_CASE("a run that is stopped finishes the steps it has begun and leaves the field of the last") {
  const extent size{40, 60};
  const auto all = random_problem(size, 5, 100, {{20, 30}});
  std::atomic<bool> stop{false};
  int calls = 0;
  const auto tasks =
      in_runtime(2, all, cut(size, 2, 3), {.on_progress = [&](int) { stop = ++calls == 37; }, .stop = &stop});
  CHECK(tasks.steps == 37);
  auto part = random_problem(size, 5, 100, {{20, 30}});
  part.wavelet.resize(37);
  CHECK(difference(tasks, run_serial(part)) == 0.0);
}

TEST_CASE("a run that is stopped before its first step leaves a field at rest") {
  const extent size{20, 30};
  const std::atomic<bool> stop{true};
  const auto tasks = in_runtime(2, random_problem(size, 5, 10, {{5, 5}}), cut(size, 2, 2), {.stop = &stop});
  CHECK(tasks.steps == 0);
  CHECK(largest_difference(std::as_const(tasks.last).view(), field(size).view()) == 0.0);
}

TEST_CASE("a task that throws ends the run with one error that names it") {
  const extent size{40, 60};
  const auto wave = random_problem(size, 9, 200, {{20, 30}});
  const auto expected = [](int step) {
    return "error W19: task \"tile 2,1\" failed\n"
           "  step        " +
           std::to_string(step) +
           " of 200\n"
           "  because     STRETTO_TEST_FAIL_TILE asked for it";
  };
  // The first, one in the middle, one that the submitter has no later step to notice by.
  for (const int step : {0, 100, 199}) CHECK(message_of(wave, cut(size, 4, 2), {6, step}) == expected(step));
}

TEST_CASE("an exception while painting ends the run") {
  const extent size{20, 30};
  const auto wave = random_problem(size, 5, 30, {{5, 5}});
  const run_requests requests{.frame_steps = {3, 20}, .paint = [](field_view<const float>) { throw std::bad_alloc(); }};
  CHECK_THROWS_AS(in_runtime(2, wave, cut(size, 2, 2), requests), std::bad_alloc);
}

TEST_CASE("tiles that do not fit into the memory end the run with what is missing") {
  auto machine = stretto::platform::discover(2).describe();
  for (auto& one : machine.places)
    if (one.kind == stretto::place_kind::numa || one.kind == stretto::place_kind::system_memory)
      one.capacity_bytes = 64 << 10;
  stretto::runtime rt(
      {.workers = 2, .machine = std::make_shared<stretto::platform>(stretto::platform::build(machine))});
  const auto wave = random_problem({200, 300}, 5, 30, {{5, 5}});
  const auto tiles = cut({200, 300}, 2, 2);
  try {
    rt.run([&] { run_tasks(wave, tiles); });
    FAIL("it fitted");
  } catch (const stretto::error& e) {
    CAPTURE(e.what());
    CHECK(e.code() == "D03");
    CHECK(e.sentence().find("tile 0,0") != std::string::npos);
  }
}

TEST_CASE("the submitter's lead is bounded in steps and in tasks") {
  CHECK(steps_ahead(1) == 32);
  CHECK(steps_ahead(400) == 10);
  CHECK(steps_ahead(1'000'000) == 2);
}
