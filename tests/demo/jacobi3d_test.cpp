// jacobi3d_test.cpp - the relaxation as cuboids: how it is cut, and that every value is the serial loop's.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include "../dist/simulated.hpp"
#include "../temporary_folder.hpp"
#include "../thrown_by.hpp"
#include "../usable_devices.hpp"
#include "demo/jacobi3d/run.hpp"

using namespace jacobi3d;

TEST_CASE("a cut has as many blocks as asked for, each cell in one of them, and little surface") {
  CHECK(cut({64, 64, 64}, 8) == triple{2, 2, 2});
  CHECK(cut({256, 16, 16}, 4) == triple{4, 1, 1});
  CHECK(cut({3, 1, 5}, 15) == triple{3, 1, 5});
  CHECK(stretto::test::thrown_by([] {
          cut({4, 4, 4}, 7);
        }).find("error W33: 4 x 4 x 4 cells cannot be split into 7 cuboids") == 0);
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const auto up_to = [&](std::uint32_t most) { return static_cast<std::uint32_t>(1 + random() % most); };
    const triple size{up_to(12), up_to(12), up_to(12)};
    const triple parts{up_to(size[0]), up_to(size[1]), up_to(size[2])};
    std::vector<int> seen(cells(size));
    for (std::uint32_t x = 0; x < parts[0]; ++x)
      for (std::uint32_t y = 0; y < parts[1]; ++y)
        for (std::uint32_t z = 0; z < parts[2]; ++z) {
          const block b = block_at(size, parts, {x, y, z});
          for (std::uint32_t i = 0; i < b.size[0]; ++i)
            for (std::uint32_t j = 0; j < b.size[1]; ++j)
              for (std::uint32_t k = 0; k < b.size[2]; ++k)
                ++seen[b.first[0] + i + size[0] * (b.first[1] + j + std::size_t{size[1]} * (b.first[2] + k))];
        }
    CHECK(seen == std::vector<int>(cells(size), 1));
  }
}

TEST_CASE("the border's values solve the equation: what is relaxed comes nearer to them, and stays there") {
  const problem p{{9, 7, 5}, 800};
  double change = 0;
  const field f = relaxed_serially(p, change);
  CHECK(change < 1e-12);
  const double h = 1.0 / 10;
  for (std::uint32_t x = 0; x < 9; ++x)
    for (std::uint32_t y = 0; y < 7; ++y) {
      const double u = (x + 1) * h, v = (y + 1) * h;
      CHECK(std::abs(f.values[f.at(x, y, 2)] - (u * u - v * v)) < 1e-10);
    }
  double early = 0;
  relaxed_serially({{9, 7, 5}, 3}, early);
  CHECK(early > 1e-3);
}

TEST_CASE("a face put on the other side is what the neighbour sees") {
  const problem p{{6, 5, 4}, 1};
  field low(p, {{0, 0, 0}, {3, 5, 4}}), high(p, {{3, 0, 0}, {3, 5, 4}});
  for (std::uint32_t y = 0; y < 5; ++y)
    for (std::uint32_t z = 0; z < 4; ++z) low.values[low.at(2, y, z)] = y + 10.0 * z;
  put_face(high, 0, face(low, 1));
  for (std::uint32_t y = 0; y < 5; ++y)
    for (std::uint32_t z = 0; z < 4; ++z) CHECK(high.values[high.at(0, y, z) - 1] == y + 10.0 * z);
  CHECK_THROWS_AS(put_face(high, 2, face(low, 1)), std::length_error);
}

namespace {

report run_on(std::uint32_t nodes, const request& r, const std::string& kind = "sim:2") {
  report found;
  const std::string devices = r.where == cells_on::devices ? kind : "none";
  stretto::test::on_nodes_of(stretto::simulated_job({.nodes = nodes}), {.workers = 2, .devices = devices},
                             [&](stretto::runtime&) {
                               if (stretto::this_node() == 0) found = run(r, 2);  // throws W32 where a value differs
                             });
  return found;
}

}  // namespace

TEST_CASE("on any number of nodes, however it is cut, every value is the serial loop's") {
  for (const cells_on where : {cells_on::host, cells_on::devices})
    for (const std::uint32_t nodes : {1u, 2u, 3u}) {
      CAPTURE(nodes);
      CAPTURE((where == cells_on::devices));
      const report found = run_on(nodes, {.what = {{13, 8, 11}, 20}, .factors = {1, 2, 5}, .where = where});
      REQUIRE(found.runs.size() == 3);
      CHECK(found.runs[2].cuboids == 10 * nodes);
      CHECK(found.runs[0].last_change == found.runs[2].last_change);
      CHECK(found.runs[0].last_change > 0);
      const std::string text = to_text(found);
      CHECK(text.find("Jacobi on 13 x 8 x 11 cells, 20 steps, on " + std::to_string(nodes) + " node") == 0);
    }
}

TEST_CASE(
    "kernels of OpenCL and CUDA devices compute the serial loop's values, too, and cuboids of two nodes send their "
    "faces from device to device") {
  for (const std::string& kind : stretto::test::usable_devices({"opencl"}, "jacobi3d"))
    for (const std::uint32_t nodes : {1u, 2u}) {
      CAPTURE(kind);
      CAPTURE(nodes);
      const report found =
          run_on(nodes, {.what = {{13, 8, 11}, 10}, .factors = {1, 2}, .where = cells_on::devices}, kind);
      REQUIRE(found.runs.size() == 2);
      CHECK(found.runs[1].cuboids == 4 * nodes);
      CHECK(found.runs[0].last_change == found.runs[1].last_change);
    }
}

TEST_CASE(
    "a run goes on from its checkpoint, in its cuboids, on other nodes as well, to the same end; one that is another "
    "is told") {
  for (const cells_on where : {cells_on::host, cells_on::devices}) {
    CAPTURE((where == cells_on::devices));
    const stretto::test::temporary_folder folder;
    const request whole{
        .what = {{13, 8, 11}, 20}, .factors = {2}, .where = where, .every = 6, .checkpoint = folder.path / "run.ckpt"};
    const report first = run_on(2, whole);
    CHECK(first.runs[0].saved == 3);
    CHECK(to_text(first).find("It was saved 3 times") != std::string::npos);
    request rest = whole;
    rest.restore = whole.checkpoint;
    rest.checkpoint.clear();
    for (const std::uint32_t nodes : {2u, 1u, 3u}) {
      CAPTURE(nodes);
      const report found = run_on(nodes, rest);
      REQUIRE(found.runs.size() == 1);
      CHECK(found.runs[0].from == 18);
      CHECK(found.runs[0].cuboids == 8);
      CHECK(found.runs[0].saved == 0);
      CHECK(found.runs[0].last_change == first.runs[0].last_change);
      CHECK(to_text(found).find("It went on from a checkpoint after step 18") != std::string::npos);
    }
    rest.checkpoint = rest.restore;  // and is saved anew, to go on from there
    rest.every = 1;
    CHECK(run_on(3, rest).runs[0].saved == 1);
    CHECK(run_on(2, rest).runs[0].from == 19);
    rest.what.iterations = 21;
    const std::string told = stretto::test::thrown_by([&] { run_on(2, rest); });
    CHECK(told.find("error W38: \"" + rest.restore.string() + "\" is the checkpoint of another run") == 0);
    CHECK(told.find("found       13 x 8 x 11 cells, 20 steps, computed by ") != std::string::npos);
    rest.restore = folder.path / "none.ckpt";
    CHECK(stretto::test::thrown_by([&] {
            run_on(1, rest);
          }).find("error C06: " + rest.restore.string() + " is not a checkpoint") == 0);
  }
}

TEST_CASE("sizes and factors are read, and what is none is told") {
  CHECK(read_size("7") == triple{7, 7, 7});
  CHECK(read_size("7x8x9") == triple{7, 8, 9});
  CHECK(read_factors("1,2,16") == std::vector<std::uint32_t>{1, 2, 16});
  for (const char* bad : {"", "0", "7x8", "7x8x9x10", "7x8x", "-1", "7,8,9", "4097", "99999999999999999999"}) {
    CAPTURE(bad);
    CHECK(stretto::test::thrown_by([&] { read_size(bad); }).find("error W33: --size cannot be") == 0);
  }
  for (const char* bad : {"", "1,", ",1", "1x2", "65", "two"}) {
    CAPTURE(bad);
    CHECK(stretto::test::thrown_by([&] { read_factors(bad); }).find("error W33: --overdecompose cannot be") == 0);
  }
}
