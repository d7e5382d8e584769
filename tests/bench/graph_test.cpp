// graph_test.cpp - the task graphs: rows, dependence sets both ways, and the check inside every
// task.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "taskbench/graph.hpp"
#include "taskbench/task.hpp"

using taskbench::graph;
using taskbench::pattern;

namespace {

using list = std::vector<long>;

list inputs(const graph& g, long t, long p) { return {g.inputs(t, p).begin(), g.inputs(t, p).end()}; }
list outputs(const graph& g, long t, long p) { return {g.outputs(t, p).begin(), g.outputs(t, p).end()}; }

template <class Check>
void for_many_graphs(Check check) {
  for (std::string_view name : taskbench::pattern_names())
    for (long width : {1, 2, 3, 4, 7, 16})
      for (long radix : {1, 2, 5, 8})
        for (long steps : {1, 2, 9, 20}) {
          CAPTURE(name);
          CAPTURE(width);
          CAPTURE(radix);
          CAPTURE(steps);
          check(graph({taskbench::pattern_named(name), width, steps, radix}));
        }
}

}  // namespace

TEST_CASE("q is an input of (t, p) exactly when p is an output of (t - 1, q)") {
  for_many_graphs([](const graph& g) {
    for (long t = 1; t < g.is().steps; ++t)
      for (long p = g.first(t); p < g.first(t) + g.width(t); ++p)
        for (long q = g.first(t - 1); q < g.first(t - 1) + g.width(t - 1); ++q) {
          const auto in = g.inputs(t, p), out = g.outputs(t - 1, q);
          const bool needs = std::find(in.begin(), in.end(), q) != in.end();
          const bool feeds = std::find(out.begin(), out.end(), p) != out.end();
          REQUIRE(needs == feeds);
        }
  });
}

TEST_CASE("inputs and outputs are ascending, without duplicates, and inside the neighbouring row") {
  for_many_graphs([](const graph& g) {
    for (long t = 0; t < g.is().steps; ++t)
      for (long p = g.first(t); p < g.first(t) + g.width(t); ++p) {
        const auto fits = [&](std::span<const long> all, long row) {
          return std::all_of(all.begin(), all.end(), [&](long q) { return g.contains(row, q); }) &&
                 std::adjacent_find(all.begin(), all.end(), std::greater_equal<>()) == all.end();
        };
        REQUIRE(fits(g.inputs(t, p), t - 1));
        REQUIRE(fits(g.outputs(t, p), t + 1));
        REQUIRE(static_cast<long>(g.inputs(t, p).size()) <= g.max_inputs());
      }
  });
}

TEST_CASE("the first row has no inputs and the last no outputs") {
  for_many_graphs([](const graph& g) {
    const long last = g.is().steps - 1;
    for (long p = 0; p < g.is().width; ++p) {
      if (g.contains(0, p)) REQUIRE(g.inputs(0, p).empty());
      if (g.contains(last, p)) REQUIRE(g.outputs(last, p).empty());
    }
  });
}

TEST_CASE("the number of tasks is the sum of the rows") {
  CHECK(graph({pattern::stencil_1d, 4, 10}).tasks() == 40);
  CHECK(graph({pattern::tree, 8, 6}).tasks() == 1 + 2 + 4 + 8 + 8 + 8);
  CHECK(graph({pattern::dom, 3, 6}).tasks() == 1 + 2 + 3 + 3 + 2 + 1);
}

TEST_CASE("each pattern has its defining dependence sets") {
  CHECK(inputs(graph({pattern::trivial, 4, 3}), 1, 2) == list{});
  CHECK(inputs(graph({pattern::no_comm, 4, 3}), 1, 2) == list{2});
  const graph stencil({pattern::stencil_1d, 4, 3});
  CHECK(inputs(stencil, 1, 0) == list{0, 1});
  CHECK(inputs(stencil, 1, 2) == list{1, 2, 3});
  CHECK(inputs(graph({pattern::stencil_1d_periodic, 5, 3}), 1, 0) == list{0, 1, 4});
  CHECK(inputs(graph({pattern::stencil_1d_periodic, 2, 3}), 1, 0) == list{0, 1});
  CHECK(inputs(graph({pattern::dom, 4, 8}), 3, 2) == list{1, 2});
  CHECK(inputs(graph({pattern::tree, 8, 8}), 3, 5) == list{2});
  CHECK(outputs(graph({pattern::tree, 8, 8}), 2, 2) == list{4, 5});
  CHECK(inputs(graph({pattern::all_to_all, 4, 3}), 1, 0) == list{0, 1, 2, 3});
}

TEST_CASE("a domain sweep starts and ends in one point, and its window moves to the last point") {
  const graph g({pattern::dom, 3, 6});
  CHECK(list{g.first(0), g.first(2), g.first(3), g.first(5)} == list{0, 0, 0, 2});
  CHECK(list{g.width(0), g.width(2), g.width(3), g.width(5)} == list{1, 3, 3, 1});
}

TEST_CASE("an fft doubles its distance each step and starts over after log2(width) steps") {
  const graph g({pattern::fft, 8, 9});
  CHECK(g.period() == 3);
  CHECK(inputs(g, 1, 3) == list{2, 3, 4});
  CHECK(inputs(g, 2, 3) == list{1, 3, 5});
  CHECK(inputs(g, 3, 3) == list{3, 7});
  CHECK(inputs(g, 4, 3) == list{2, 3, 4});
}

TEST_CASE("nearest takes as many near points as the radix, one more to the left if it is even") {
  CHECK(inputs(graph({pattern::nearest, 9, 3, 5}), 1, 4) == list{2, 3, 4, 5, 6});
  CHECK(inputs(graph({pattern::nearest, 9, 3, 4}), 1, 4) == list{2, 3, 4, 5});
  CHECK(inputs(graph({pattern::nearest, 9, 3, 5}), 1, 0) == list{0, 1, 2});
  CHECK(inputs(graph({pattern::nearest, 9, 3, 0}), 1, 4) == list{});
}

TEST_CASE("spread takes points at equal distances, shifted by the set of the step") {
  const graph g({pattern::spread, 9, 5, 3});
  CHECK(inputs(g, 1, 0) == list{0, 4, 7});
  CHECK(inputs(g, 2, 0) == list{0, 5, 8});
  CHECK(inputs(g, 3, 0) == list{0, 3, 6});
}

TEST_CASE("random_nearest draws what the public core draws") {
  const graph g({pattern::random_nearest, 8, 9, 5});
  const std::vector<std::vector<list>> drawn{{{0}, {1, 3}, {2}, {1, 3}, {4}, {5}, {4, 6}, {6, 7}},
                                             {{0, 2}, {1}, {1, 2, 3}, {3}, {4}, {5, 7}, {6, 7}, {5, 7}},
                                             {{0}, {1}, {2, 4}, {3, 4, 5}, {3, 4}, {5, 6, 7}, {4, 6, 7}, {7}}};
  for (long t = 1; t <= 3; ++t)
    for (long p = 0; p < 8; ++p) CHECK(inputs(g, t, p) == drawn[t - 1][p]);
}

TEST_CASE("the hash is SipHash-2-4") {
  // The vector of its paper: key 00 01 .. 0f, message 00 01 .. 0e.
  std::vector<unsigned char> message(15);
  std::iota(message.begin(), message.end(), 0);
  CHECK(taskbench::siphash(message, 0x0706050403020100, 0x0f0e0d0c0b0a0908) == 0xa129ca6149be45e5);
}

TEST_CASE("impossible graphs and unknown patterns are refused with a sentence") {
  CHECK_THROWS_WITH(graph({pattern::trivial, 0, 4}), "a graph needs a width and steps of at least 1");
  CHECK_THROWS_WITH(graph({pattern::trivial, 4, 0}), "a graph needs a width and steps of at least 1");
  CHECK_THROWS_WITH(graph({pattern::spread, 4, 4, 0}), "the radix is too small for this pattern");
  CHECK_THROWS_WITH(taskbench::pattern_named("stencil"),
                    "there is no pattern \"stencil\"; there are trivial, no_comm, stencil_1d, "
                    "stencil_1d_periodic, dom, "
                    "tree, fft, all_to_all, nearest, spread, random_nearest");
}

TEST_CASE("a task that misses an input, or has it from the wrong step or point, is noticed") {
  const graph g({pattern::stencil_1d, 4, 4});
  const taskbench::stamp left{0, 0}, self{0, 1}, right{0, 2}, late{1, 2};
  const std::vector<const taskbench::stamp*> good{&left, &self, &right}, old{&left, &self, &late},
      short_of_one{&left, &self}, swapped{&self, &left, &right};
  CHECK(taskbench::has_its_inputs(g, 1, 1, good));
  CHECK_FALSE(taskbench::has_its_inputs(g, 1, 1, old));
  CHECK_FALSE(taskbench::has_its_inputs(g, 1, 1, short_of_one));
  CHECK_FALSE(taskbench::has_its_inputs(g, 1, 1, swapped));
}

TEST_CASE("a serial run leaves every point's last stamp") {
  for_many_graphs([](const graph& g) {
    taskbench::stamps where(g);
    for (long t = 0; t < g.is().steps; ++t)
      for (long p = g.first(t); p < g.first(t) + g.width(t); ++p) run_task(g, t, p, where, 0);
    const long last = g.is().steps - 1;
    for (long p = g.first(last); p < g.first(last) + g.width(last); ++p)
      REQUIRE((where.at(last, p)->step == last && where.at(last, p)->point == p));
  });
}

TEST_CASE("two rows of stamps are used in turn") {
  const graph g({pattern::stencil_1d, 3, 8});
  taskbench::stamps where(g, 2);
  CHECK(where.at(0, 1) == where.at(2, 1));
  CHECK(where.at(0, 1) != where.at(1, 1));
  CHECK(where.at(7, 2) == where.at(1, 2));
}

TEST_CASE("granularity is elapsed time times workers over tasks, and flops follow the public count") {
  const graph g({pattern::trivial, 4, 10});
  bench::options o;
  o.workers = 2;
  o.iterations = {100};
  const bench::outcome out = taskbench::report(g, o, 0.001);
  CHECK(out.value == doctest::Approx(50));  // 1000 us * 2 / 40
  CHECK(out.facts.at(2).second == doctest::Approx(40 * (128 * 100 + 64) / 0.001));
}
