#include "platform/measure.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include <stretto/platform.hpp>

#include "platform/error_message.hpp"

using namespace stretto;
using stretto::test::message_of;

TEST_CASE("this machine is measured: figures appear, paths and places stay") {
  const auto before = platform::discover();
  // On a busy machine the time for it may run out before there is a figure: then it is measured again.
  const auto has_figures = [](const platform& p) {
    const auto path = p.pop_path(0);
    for (std::size_t i = 1; i < path.size(); ++i)
      if (p.route(path[0], path[i], 64)->latency_seconds) return true;
    return false;
  };
  auto after = before.measured();
  while (!has_figures(after)) after = before.measured();
  CHECK(after.place_count() == before.place_count());
  CHECK(after.worker_count() == before.worker_count());
  for (std::uint32_t w = 0; w < before.worker_count(); ++w)
    CHECK(std::ranges::equal(after.steal_path(w), before.steal_path(w)));

  const auto path = before.pop_path(0);
  double inner = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const auto way = after.route(path[0], path[i], 64);
    REQUIRE(way);
    if (!way->latency_seconds) continue;  // the time ran out
    CHECK(*way->latency_seconds >= inner);
    CHECK(*way->bandwidth_bytes_per_second > 0);
    inner = *way->latency_seconds;
  }
  CHECK(inner > 0);
  CHECK(platform::parse(after.to_json()) == after);
}

TEST_CASE("a machine that is not here cannot be measured") {
  auto elsewhere = platform::synthetic("core:2 pu:1").describe();
  elsewhere.places[1].cpus = {1000};
  CHECK(message_of([&] { platform::build(elsewhere).measured(); }) ==
        "error P17: \"core_0\" cannot be measured\n"
        "  because     this process may not run there: Invalid argument\n"
        "  try         measure a platform that was discovered on this machine");
  CHECK(message_of([] { platform::parse("{\"nworkers\": 1, \"declarations\": [\"sysmem\"]}").measured(); }) ==
        "error P17: the platform has no core that can be measured\n"
        "  because     none of its places is a core with \"cpus\", the numbers of its CPUs\n"
        "  try         measure a platform that was discovered on this machine");
}
