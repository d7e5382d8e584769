#include "report/replay.hpp"

#include <doctest/doctest.h>

#include "report/advice.hpp"
#include "small_runs.hpp"

using namespace stretto::report;

namespace {

replay_graph tasks(std::vector<nanoseconds> lengths, std::vector<dependency> order, unsigned workers) {
  replay_graph g;
  for (const nanoseconds length : lengths) g.operations.push_back({.length = length});
  g.dependencies = std::move(order);
  g.families = {"t"};
  g.workers = workers;
  return g;
}

}  // namespace

TEST_CASE("independent tasks share the workers, dependent ones follow one another") {
  CHECK(replay(tasks({10, 10, 10, 10}, {}, 1)) == 40);
  CHECK(replay(tasks({10, 10, 10, 10}, {}, 2)) == 20);
  CHECK(replay(tasks({10, 10, 10, 10}, {}, 3)) == 20);
  CHECK(replay(tasks({10, 10, 10}, {{0, 1}, {1, 2}}, 4)) == 30);
  CHECK(replay(tasks({}, {}, 4)) == 0);
}

TEST_CASE("Graham's anomaly: the replay schedules greedily, as the runtime does") {
  // Nine tasks on three workers take 12; his example with every task one unit shorter takes 13.
  const std::vector<dependency> order{{0, 8}, {3, 4}, {3, 5}, {3, 6}, {3, 7}};
  CHECK(replay(tasks({3, 2, 2, 2, 4, 4, 4, 4, 9}, order, 3)) == 12);
  CHECK(replay(tasks({2, 1, 1, 1, 3, 3, 3, 3, 8}, order, 3)) == 13);
}

TEST_CASE("a task may begin while the one that made it ready still runs") {
  CHECK(replay(tasks({100, 50}, {{0, 1, 30}}, 2)) == 100);
  CHECK(replay(tasks({100, 90}, {{0, 1, 30}}, 2)) == 120);
  CHECK(replay(tasks({100, 90}, {{0, 1, -1, 7}}, 2)) == 197);
}

TEST_CASE("operations on a cycle never begin, and the others still do") {
  CHECK(replay(tasks({10, 10, 10}, {{0, 1}, {1, 0}}, 1)) == 10);
}

TEST_CASE("the overhead is paid once for each operation") {
  auto g = tasks({10, 10}, {}, 1);
  g.overhead = 3;
  CHECK(replay(g) == 26);
}

TEST_CASE("twice the speed halves lengths, and when others are let go") {
  const auto g = with_speed(tasks({100, 90}, {{0, 1, 30}}, 2), 2, [](const operation& o) { return o.length == 100; });
  CHECK(g.operations[0].length == 50);
  CHECK(replay(g) == 15 + 90);
}

TEST_CASE("a finer grain helps where one long task keeps the others waiting") {
  const auto g = tasks({100, 10, 10}, {{0, 1}, {1, 2}}, 2);
  CHECK(replay(g) == 120);
  CHECK(replay(with_finer_grain(g)) == 70);
}

TEST_CASE("a coarser grain halves the overhead of independent tasks and joins none that need each other") {
  const run apart = make_run({{0, 0, 10, "t"}, {0, 14, 24, "t"}, {0, 28, 38, "t"}, {0, 42, 52, "t"}});
  auto g = graph_of(apart, 1, 4);
  CHECK(replay(g) == 56);
  const auto joined = with_coarser_grain(g, apart);
  CHECK(joined.operations.size() == 2);
  CHECK(replay(joined) == 48);

  const run chained = make_run({{0, 0, 10, "t"}, {0, 14, 24, "t"}}, {{0, 1}});
  CHECK(with_coarser_grain(graph_of(chained, 1, 4), chained).operations.size() == 2);
}

TEST_CASE("a recorded graph replayed on its own workers takes what it took") {
  const run r = make_run({{0, 0, 100, "a"}, {0, 100, 150, "c"}, {1, 100, 200, "b"}}, {{0, 1}, {0, 2}});
  CHECK(replay(graph_of(r, 2, 0)) == 200);
  CHECK(replay(graph_of(r, 1, 0)) == 250);
}

TEST_CASE("work that an idle worker took up was not there before, though nothing names its cause") {
  const run r = make_run({{0, 0, 100'000, "a"}, {1, 150'000, 200'000, "b"}});
  CHECK(replay(graph_of(r, 2, 0)) == 200'000);
  const auto faster = with_speed(graph_of(r, 2, 0), 2, [](const operation& o) { return o.length == 100'000; });
  CHECK(replay(faster) == 150'000);
}

TEST_CASE("a long run is replayed by its beginning, and says so") {
  const run r = make_run({{0, 0, 10, "a"}, {0, 10, 20, "b"}, {0, 20, 30, "c"}});
  CHECK(graph_of(r, 1, 0, 2).shortened);
  CHECK(graph_of(r, 1, 0, 2).operations.size() == 2);
  CHECK_FALSE(graph_of(r, 1, 0, 3).shortened);
}

TEST_CASE("advice begins with the change that gains most") {
  const run r = make_run({{0, 0, 1000, "slow"}, {0, 1000, 1100, "x"}, {1, 1000, 1100, "y"}}, {{0, 1}, {0, 2}});
  const auto a = find_advice(r, 2, 0);
  CHECK(a.replayed == 1100);
  REQUIRE(a.suggestions.size() >= 3);
  CHECK(a.suggestions[0].gain == doctest::Approx(500.0 / 1100));
  for (std::size_t i = 1; i < a.suggestions.size(); ++i) CHECK(a.suggestions[i - 1].gain >= a.suggestions[i].gain);
}
