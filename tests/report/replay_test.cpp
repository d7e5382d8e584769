#include "report/replay.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "report/advice.hpp"
#include "report/index_set.hpp"
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

TEST_CASE("an operation's own delay is paid before it, on its worker") {
  auto g = tasks({10, 10}, {}, 1);
  for (operation& o : g.operations) o.delay = 3;
  CHECK(replay(g) == 26);
}

TEST_CASE("twice the speed halves lengths, and when others are let go") {
  const auto g = tasks({100, 90}, {{0, 1, 30}}, 2);
  CHECK(replay(g, {.speed = 2, .are_faster = [](const operation& o) { return o.length == 100; }}) == 15 + 90);
}

TEST_CASE("a finer grain helps where one long task keeps the others waiting") {
  const auto g = tasks({100, 10, 10}, {{0, 1}, {1, 2}}, 2);
  CHECK(replay(g) == 120);
  CHECK(replay(with_finer_grain(g)) == 70);
}

TEST_CASE("a coarser grain halves the overhead of independent tasks and joins none that need each other") {
  const run apart = make_run({{0, 0, 10, "t"}, {0, 14, 24, "t"}, {0, 28, 38, "t"}, {0, 42, 52, "t"}});
  auto g = graph_of(apart);
  CHECK(replay(g) == 52);
  const auto joined = with_coarser_grain(g);
  CHECK(joined.operations.size() == 2);
  CHECK(replay(joined) == 44);

  const run chained = make_run({{0, 0, 10, "t"}, {0, 14, 24, "t"}}, {{0, 1}});
  CHECK(with_coarser_grain(graph_of(chained)).operations.size() == 2);
}

TEST_CASE("a recorded graph replayed on its own workers takes what it took") {
  const run r = make_run({{0, 0, 100, "a"}, {0, 100, 150, "c"}, {1, 100, 200, "b"}}, {{0, 1}, {0, 2}});
  auto g = graph_of(r);
  CHECK(g.workers == 2);
  CHECK(replay(g) == 200);
  g.workers = 1;
  CHECK(replay(g) == 250);
}

TEST_CASE("work that an idle worker took up was not there before, though nothing names its cause") {
  const run r = make_run({{0, 0, 100'000, "a"}, {1, 150'000, 200'000, "b"}});
  CHECK(replay(graph_of(r)) == 200'000);
  CHECK(replay(graph_of(r), {.speed = 2, .are_faster = [](const operation& o) { return o.length == 100'000; }}) ==
        150'000);
}

TEST_CASE("a nested record splits the outer one: the rest of the outer one waits for the inner one") {
  const run r = make_run({{0, 0, 100, "outer"}, {0, 20, 60, "inner"}, {1, 60, 90, "after inner"}}, {{1, 2}});
  auto g = graph_of(r);
  REQUIRE(g.operations.size() == 4);
  CHECK(replay(g) == 100);
  g.workers = 8;
  CHECK(replay(g) == 100);
  CHECK(replay(g, {.speed = 2, .are_faster = [&](const operation& o) { return g.families[o.family] == "inner"; }}) ==
        80);
}

TEST_CASE("a record deep within others, one behind another, is replayed as it ran") {
  const run r = make_run({{0, 0, 100, "a"}, {0, 10, 40, "b"}, {0, 20, 30, "c"}, {0, 50, 60, "d"}, {0, 90, 100, "e"}});
  CHECK(graph_of(r).operations.size() == 8);
  CHECK(replay(graph_of(r)) == 100);
}

TEST_CASE("a stream is no worker: what ran there waits for its turn there, and occupies no worker") {
  run r =
      make_run({{0, 0, 10, "t"}, {1, 10, 60, "copy", kind::copy}, {1, 60, 110, "copy", kind::copy}, {0, 110, 120, "t"}},
               {{0, 1}, {0, 2}, {2, 3}});
  r.tracks[1] = "to device";
  const auto g = graph_of(r);
  CHECK(g.workers == 1);
  CHECK(replay(g) == 120);
  CHECK(replay(g, {.speed = 2, .are_faster = [](const operation& o) { return o.kind == kind::copy; }}) == 70);
}

TEST_CASE("of what is ready that is begun first which was begun first") {
  auto g = tasks({10, 10, 100}, {}, 2);
  CHECK(replay(g) == 110);
  std::swap(g.operations[0], g.operations[2]);
  CHECK(replay(g) == 100);
}

TEST_CASE("replaying a schedule unchanged takes what it took, whatever the graph") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    // A random graph that workers run greedily, each taking anything that is ready: what a recorder would see.
    const std::size_t workers = 1 + random() % 4, count = 1 + random() % 60;
    run r;
    for (std::uint32_t w = 0; w < workers; ++w) {
      r.tracks.push_back("worker " + std::to_string(w));
      r.lanes.push_back({r.tracks.back(), w, 0});
    }
    r.labels = {{"t", "", kind::task}};
    std::vector<std::vector<std::size_t>> needs(count);
    for (std::size_t i = 1; i < count; ++i)
      for (int k = 0; k < 2; ++k) needs[i].push_back(random() % i);
    std::vector<std::uint32_t> number(count, no_record);
    std::vector<nanoseconds> free(workers, 0);
    while (r.records.size() < count) {
      const auto w = static_cast<std::size_t>(std::min_element(free.begin(), free.end()) - free.begin());
      std::vector<std::size_t> ready;
      nanoseconds soon = 1'000'000;
      for (std::size_t i = 0; i < count; ++i) {
        if (number[i] != no_record) continue;
        nanoseconds at = 0;
        for (const std::size_t n : needs[i])
          at = std::max(at, number[n] == no_record ? 1'000'000 : r.records[number[n]].end);
        if (at <= free[w]) ready.push_back(i);
        soon = std::min(soon, at);
      }
      if (ready.empty()) {
        free[w] = soon;
        continue;
      }
      const std::size_t i = ready[random() % ready.size()];
      number[i] = static_cast<std::uint32_t>(r.records.size());
      for (const std::size_t n : needs[i]) r.edges.push_back({number[n], number[i]});
      record one;
      one.start = free[w] + static_cast<nanoseconds>(random() % 3);
      one.end = free[w] = one.start + 20 + static_cast<nanoseconds>(random() % 100);
      one.lane = static_cast<std::uint32_t>(w);
      r.records.push_back(one);
      r.records.back().kind = kind::task;
    }
    put_in_order(r);
    const advice a = find_advice(r);
    CHECK(a.operations == count);
    CHECK(std::abs(a.error()) < 0.03);
  }
}

TEST_CASE("a set of numbers gives its least") {
  for (const std::size_t bound : {1u, 64u, 65u, 5000u, 300'000u}) {
    index_set set(bound);
    CHECK(set.is_empty());
    for (const std::size_t i : {bound - 1, bound / 2, bound / 3, std::size_t{0}}) set.insert(i);
    std::size_t last = set.take_least();
    CHECK(last == 0);
    for (; !set.is_empty(); last = set.take_least());
    CHECK(last == bound - 1);
  }
}

TEST_CASE("advice begins with the change that gains most") {
  const run r = make_run({{0, 0, 1000, "slow"}, {0, 1000, 1100, "x"}, {1, 1000, 1100, "y"}}, {{0, 1}, {0, 2}});
  const auto a = find_advice(r);
  CHECK(a.replayed == 1100);
  REQUIRE(a.suggestions.size() >= 3);
  CHECK(a.suggestions[0].gain == doctest::Approx(500.0 / 1100));
  for (std::size_t i = 1; i < a.suggestions.size(); ++i) CHECK(a.suggestions[i - 1].gain >= a.suggestions[i].gain);
}
