#include <doctest/doctest.h>

#include <stretto/error.hpp>
#include <thread>

#include "trace/counters.hpp"

using stretto::trace::counter_id;
using stretto::trace::counters;

TEST_CASE("counters add up over threads, per module and place") {
  counters c;
  const counter_id tasks = c.declare("sched", "tasks run", "L2_0");
  const counter_id copies = c.declare("data", "copies");
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        auto& mine = c.add_slab();
        for (int i = 0; i < 10'000; ++i) {
          mine.add(tasks, 1, 5);
          c.add_from_anywhere(copies, 1, 2, 64);
        }
      });
    for (int i = 0; i < 100; ++i) CHECK(c.read()[tasks].count <= 30'000);  // reading beside the writers
  }
  const auto values = c.read();
  REQUIRE(values.size() == 2);
  CHECK(values[0].module == "sched");
  CHECK(values[0].what == "tasks run");
  CHECK(values[0].place == "L2_0");
  CHECK(values[0].count == 30'000);
  CHECK(values[0].time == 150'000);
  CHECK(values[1].place.empty());
  CHECK(values[1].count == 30'000);
  CHECK(values[1].time == 60'000);
  CHECK(values[1].amount == 30'000 * 64);
}

TEST_CASE("declaring a counter twice gives the same one") {
  counters c;
  const counter_id a = c.declare("mpi", "sends", "N0");
  CHECK(c.declare("mpi", "sends", "N1") != a);
  CHECK(c.declare("mpi", "sends", "N0") == a);
}

TEST_CASE("a counter declared later than a slab counts in it too") {
  counters c;
  auto& slab = c.add_slab();
  counter_id last = 0;
  for (int i = 0; i < 200; ++i) last = c.declare("m", std::to_string(i));
  slab.add(last, 7);
  CHECK(c.read()[last].count == 7);
  CHECK(c.read()[0].count == 0);
}

TEST_CASE("too many counters are refused with the module's name") {
  counters c;
  for (std::size_t i = 0; i < counters::most_counters; ++i) c.declare("m", std::to_string(i));
  std::string message;
  try {
    c.declare("lustre", "stripe 9");
  } catch (const stretto::error& e) {
    message = e.what();
  }
  CHECK(message ==
        "error T03: too many statistics counters\n"
        "  module      lustre\n"
        "  counter     stripe 9\n"
        "  at most     4096 counters in one runtime\n"
        "  try         declare one counter per module and place, not per task");
  CHECK(c.read().size() == counters::most_counters);
}
