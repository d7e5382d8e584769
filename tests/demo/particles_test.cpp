// particles_test.cpp - the drop that is carried round: its physics, how the box is cut, and that every particle is the
// serial loop's.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include "../dist/simulated.hpp"
#include "../temporary_folder.hpp"
#include "../thrown_by.hpp"
#include "demo/particles/conserved_quantities.hpp"
#include "demo/particles/run.hpp"
#include "demo/particles/serial_reference.hpp"

using namespace particles;
using stretto::test::thrown_by;

namespace {

const problem small{.count = 1'500, .steps = 25};

std::size_t count_of(const std::string& word, const std::string& text) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

report run_on(std::uint32_t nodes, const request& r) {
  report found;
  stretto::test::on_nodes_of(stretto::simulated_job({.nodes = nodes}), {.workers = 2}, [&](stretto::runtime&) {
    if (stretto::this_node() == 0) found = run(r, 2);  // throws W35 where a particle differs, W37 where a law is broken
  });
  return found;
}

}  // namespace

TEST_CASE("forces are those of all pairs that are near, the short way round the box") {
  const box b = small.in();
  auto all = start_of(small);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (unsigned axis = 0; axis < 2; ++axis) all[i].at[axis] += 0x90000000u;  // the drop lies over the edges
  auto near = all;
  for (auto& q : near) q.velocity = {};
  const auto moved = moved_serially({.count = small.count, .steps = 1}, near);  // v = (f0 + f1) dt / 2
  for (std::size_t i = 0; i < all.size(); i += 7) {
    pair force = {}, later = {};
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (i == j) continue;
      add_force(force, way(all[i].at, all[j].at, b.unit));
      add_force(later, way(moved[i].at, moved[j].at, b.unit));
    }
    for (unsigned axis = 0; axis < 2; ++axis) {
      const double expected = 0.5 * time_step * (force[axis] + later[axis]);
      CHECK(std::fabs(moved[i].velocity[axis] - expected) <= 1e-12 * (1 + std::fabs(expected)));
    }
  }
}

TEST_CASE("a force is the slope of the potential, and both end at the reach") {
  for (const double r : {0.95, 1.0, 1.1225, 1.5, 2.0, 2.49}) {
    CAPTURE(r);
    pair force = {};
    add_force(force, {r, 0});
    const double h = 1e-6, slope = (potential({r + h, 0}) - potential({r - h, 0})) / (2 * h);
    CHECK(force[0] ==
          doctest::Approx(slope).epsilon(1e-5));  // who is on the right pulls to the right where the potential rises
  }
  pair none = {};
  add_force(none, {2.5, 0});
  CHECK(none == pair{});
  CHECK(potential({2.4999999, 0}) == doctest::Approx(0));
}

TEST_CASE("the drop keeps its number, momentum and energy, and goes with the wind") {
  const box b = small.in();
  const auto start = start_of(small);
  CHECK(start.size() == small.count);
  const auto end = moved_serially(small, start);
  const conserved_quantities before = conserved_by(b, start), after = conserved_by(b, end);
  check_conserved(before, after);
  CHECK(before.energy != after.energy);
  double moved = 0;
  for (std::size_t i = 0; i < start.size(); ++i)
    moved += static_cast<std::int32_t>(end[i].at[1] - start[i].at[1]) * (1.0 / start.size());
  CHECK(moved == doctest::Approx(25.0 * b.wind[1]).epsilon(1e-3));

  auto fewer = end;
  fewer.pop_back();
  CHECK(thrown_by([&] {
          check_conserved(before, conserved_by(b, fewer));
        }).find("error W37: the particles do not conserve their number") == 0);
  auto pushed = end;
  pushed[3].velocity[0] += 0.01;
  CHECK(thrown_by([&] {
          check_conserved(before, conserved_by(b, pushed));
        }).find("error W37: the particles do not conserve their momentum") == 0);
  auto hot = end;
  for (std::size_t i = 0; i < hot.size(); i += 2) hot[i].velocity[0] += 0.2, hot[i + 1].velocity[0] -= 0.2;
  CHECK(thrown_by([&] {
          check_conserved(before, conserved_by(b, hot));
        }).find("error W37: the particles do not conserve their energy") == 0);
}

TEST_CASE("each cell is in one patch, and is as far from it as its neighbours are, the short way round") {
  const box b = small.in();
  for (const cut c : {cut{3, 3}, cut{4, 7}, cut{b.cells / 3, 5}}) {
    std::vector<int> seen(std::size_t{b.cells} * b.cells);
    for (std::uint32_t y = 0; y < c.y; ++y)
      for (std::uint32_t x = 0; x < c.x; ++x) {
        const block one = block_of(b, c, x, y);
        for (std::uint32_t j = 0; j < one.size[1]; ++j)
          for (std::uint32_t i = 0; i < one.size[0]; ++i)
            ++seen[one.first[0] + i + std::size_t{b.cells} * (one.first[1] + j)];
        for (unsigned axis = 0; axis < 2; ++axis) {
          CHECK(one.from_first(axis, one.first[axis], b.cells) == 0);
          CHECK(one.from_first(axis, (one.first[axis] + b.cells - 1) % b.cells, b.cells) == -1);
          CHECK(one.from_first(axis, (one.first[axis] + one.size[axis]) % b.cells, b.cells) ==
                static_cast<std::int32_t>(one.size[axis]));
        }
      }
    CHECK(seen == std::vector<int>(seen.size(), 1));
  }
}

TEST_CASE("on any number of nodes, however it is cut and balanced, every particle is where the serial loop has it") {
  for (const std::uint32_t nodes : {1u, 2u, 3u}) {
    CAPTURE(nodes);
    const auto all = read_balancers("none,greedy,refine,diffusion,stealing,hints");
    const report found = run_on(nodes, {.what = small, .patches = {5, 6}, .each = 4, .balancers = all});
    REQUIRE(found.runs.size() == 6);
    CHECK(found.nodes == nodes);
    for (const measured& m : found.runs) {
      CAPTURE(m.balancer);
      CHECK(m.rounds == (m.balancer == "none" ? 0 : 7));
      REQUIRE(m.loads.of_pairs.size() == 25);
      REQUIRE(m.loads.of_time.size() == 25);
      for (const auto& steps : {m.loads.of_pairs, m.loads.of_time})
        for (const double v : steps) CHECK((v >= 1 - 1e-12 && v <= nodes + 1e-12));
    }
    CHECK(found.gain(found.runs[0]) == 1);
    CHECK(to_text(found).find("1500 particles in 5 x 6 patches, 25 steps, on " + std::to_string(nodes) + " node") == 0);
    CHECK(count_of("<polyline", to_svg(found)) == 12);
  }
}

TEST_CASE("a run goes on from its checkpoint, on other nodes as well, to the same end; one that is another is told") {
  const stretto::test::temporary_folder folder;
  request r{.what = small,
            .patches = {5, 6},
            .each = 4,
            .balancers = read_balancers("hints"),
            .checkpoint = folder.path / "run.ckpt"};
  CHECK(run_on(2, r).runs[0].from == 0);
  for (const std::uint32_t nodes : {2u, 1u, 3u}) {
    CAPTURE(nodes);
    const report found = run_on(nodes, r);  // its particles are the serial loop's, or it throws
    CHECK(found.runs[0].from == 24);
    CHECK(found.runs[0].loads.of_pairs.size() == 1);
    CHECK(to_text(found).find("hints went on from a checkpoint after step 24") != std::string::npos);
  }
  r.each = 5;
  const std::string told = thrown_by([&] { run_on(2, r); });
  CHECK(told.find("error W38: \"" + r.checkpoint.string() + "\" is the checkpoint of another run") == 0);
  CHECK(told.find("found       1500 particles of seed 1 in 5 x 6 patches, 25 steps, hints every 4") !=
        std::string::npos);
}

TEST_CASE("rounds by hints are the same in every run, and even out what moves") {
  if (std::getenv("STRETTO_TEST_RANDOM_MIGRATION")) return;  // patches that move by themselves
  const request r{
      .what = {.count = 3'000, .steps = 40}, .patches = {10, 10}, .each = 4, .balancers = read_balancers("none,hints")};
  const report one = run_on(2, r), other = run_on(2, r);
  CHECK(one.runs[0].loads.of_pairs == other.runs[0].loads.of_pairs);
  CHECK(one.runs[1].loads.of_pairs == other.runs[1].loads.of_pairs);
  CHECK(one.runs[1].moves > 0);
  CHECK(one.runs[1].moves == other.runs[1].moves);
  const summary without = summary_of(one.runs[0].loads.of_pairs, one.warm_up());
  const summary with = summary_of(one.runs[1].loads.of_pairs, one.warm_up());
  CHECK(without.mean > 1.5);
  CHECK(with.mean < 1.15);
  CHECK(with.most < without.mean);
}

TEST_CASE("imbalances are of nodes, step by step; a summary leaves out the beginning") {
  const std::vector<std::vector<cost>> patches{{{9, 9, 0}, {1, 2, 0}, {4, 1, 0}}, {{9, 9, 1}, {3, 2, 1}, {4, 1, 0}}};
  const imbalances found = imbalances_of(patches, 2);
  CHECK(found.of_time == std::vector<double>{1.5, 2});
  CHECK(found.of_pairs == std::vector<double>{1, 2});
  CHECK(imbalances_of({}, 2).of_time.empty());
  CHECK(summary_of({4, 1, 2}, 1).mean == 1.5);
  CHECK(summary_of({4, 1, 2}, 1).most == 2);
  CHECK(summary_of({4, 2}, 2).mean == 3);  // nothing else to tell of
  CHECK(summary_of({}, 2).mean == 1);
}

TEST_CASE("what was typed is read, and what cannot be is told") {
  CHECK(read_balancers("hints,none,hints").size() == 2);
  CHECK(!read_balancers("none")[0].by);
  CHECK(read_balancers("greedy")[0].by);
  for (const char* bad : {"", "none,", "gredy", "none;greedy"}) {
    CAPTURE(bad);
    CHECK(thrown_by([&] { read_balancers(bad); }).find("error W36: there is no balancer") == 0);
  }
  CHECK(thrown_by([] { read_balancers("gredy"); }).find("did you mean \"greedy\"?") != std::string::npos);
  CHECK(read_cut("7x9").x == 7);
  CHECK(read_cut("7x9").y == 9);
  for (const char* bad : {"", "7", "7x", "x9", "7x9x2", "0x3", "-1x3", "1025x3", "7 x 9"}) {
    CAPTURE(bad);
    CHECK(thrown_by([&] { read_cut(bad); }).find("error W36: --patches cannot be") == 0);
  }
  CHECK(cut_for({.count = 20'000}, 128, 2).patches() == 256);
  CHECK(cut_for(small, 1, 1).patches() == 9);
  check(small, cut_for(small, 128, 1'000));
  check(small, {3, 3});
  CHECK(thrown_by([] { check(small, {2, 5}); }).find("eight different neighbours") != std::string::npos);
  CHECK(thrown_by([] {
          check(small, {40, 5});
        }).find("error W36: 1500 particles cannot be split into 40 x 5 patches") == 0);
}
