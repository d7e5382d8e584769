// Launches of a stepped runtime: a seed determines the schedule, however busy the machine is.
#include <stretto/object.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <vector>

#include "temporary_folder.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(stepped_turns, (inout<int> x, int turns), {
  int v = x(global_id(0));
  for (int i = 0; i < turns; ++i) v = (v * 5 + i) % 1021;
  x(global_id(0)) = v;
})

/// Launches computed by the host and each device for some programs, if each takes the host that long.
std::vector<std::uint64_t> computed_by_each(int turns) {
  std::vector<std::uint64_t> launches;
  for (unsigned seed = 0; seed < 6; ++seed) {
    runtime rt({.workers = 2, .seed = 1, .devices = "sim:2", .stepped = true});
    rt.run([&] {
      std::mt19937 random(seed);
      std::vector<object<int>> all;
      for (int i = 0; i < 8; ++i) {
        const std::vector<int> zeros(random() % 2 ? 200 : 5'000);
        all.emplace_back(box(0, static_cast<coordinate>(zeros.size())), zeros.data());
      }
      for (int round = 0; round < 30; ++round) {
        for (int i = 0; i < 6; ++i) {
          const object<int>& x = all[random() % all.size()];
          launch(stepped_turns, x.elements(), x, turns);
        }
        all[random() % all.size()].read().get();
      }
    });
    for (const device_statistics& d : rt.statistics().devices) launches.push_back(d.launches);
  }
  return launches;
}

TEST_CASE("the choice of devices in a stepped runtime does not depend on the speed of the machine") {
  const auto first = computed_by_each(1);
  REQUIRE(first.size() == 6 * 3);
  for (const std::size_t site : {0, 1, 2}) CHECK(first[site] > 0);
  CHECK(computed_by_each(1) == first);
  CHECK(computed_by_each(100) == first);
}

TEST_CASE("a stepped runtime neither saves nor uses measured speeds") {
  const test::temporary_folder folder;
  const std::filesystem::path file = folder.path / "speeds.txt";
  const test::with_variable speeds("STRETTO_SPEEDS", file.c_str());
  computed_by_each(1);
  CHECK_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace stretto
