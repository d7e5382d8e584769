// Completion queues and index spaces on other nodes: one fact at a time, then random programs over nodes.
#include <stretto/completion_queue.hpp>
#include <stretto/error.hpp>
#include <stretto/instance.hpp>
#include <stretto/job.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using entry = completion_queue::entry;

void adds(const completion_queue& q, event e) { q.add(e); }
std::size_t pops(const completion_queue& q, std::size_t n) { return q.pop(n).size(); }
completion_queue passes_on(const completion_queue& q) { return q; }

/// Checks the view of a third node on a queue and two events of other nodes.
void sees_all(const completion_queue& q, user_event good, user_event bad) {
  CHECK(q.size().pending == 0);
  CHECK(q.pop(5).empty());
  const event some = q.nonempty();
  CHECK_FALSE(some.has_triggered());
  q.add(good);
  q.add(bad);
  q.add(event());
  wait(some);
  CHECK(q.nonempty() == event());
  const auto first = q.pop(5);
  REQUIRE(first.size() == 1);
  CHECK(first[0].which == event());
  CHECK(first[0].how.ok());
  CHECK(q.size().pending == 2);
  good.trigger();
  wait(q.nonempty());
  entry one[3];
  REQUIRE(q.pop(one) == 1);
  CHECK(one[0].which == good);
  CHECK(good.has_triggered());
  bad.poison(std::make_exception_ptr(std::runtime_error("no ink")));
  wait(q.nonempty());
  REQUIRE(q.pop(one) == 1);
  CHECK(one[0].which == bad);
  CHECK_THROWS_WITH(one[0].how.rethrow(), doctest::Contains("no ink"));
  CHECK(q.size().ended + q.size().pending == 0);
}

index_space frees_and_takes(index_space s) {
  s.free(element{0});
  s.allocate();
  s.allocate();
  s.allocate();
  return s;
}

}  // namespace

TEST_SUITE_BEGIN("dist");

TEST_CASE("a completion queue is used on another node, with events of every node") {
  for (std::uint32_t nodes = 1; nodes <= 3; ++nodes)
    test::on_all_nodes({.nodes = nodes}, 2, [&](runtime&) {
      if (this_node() != 0) return;
      const auto q = completion_queue::create();
      const auto good = user_event::create();
      const auto bad = async(at_node(nodes - 1), call([] { return user_event::create(); })).get();
      async(at_node(nodes / 2), call<&sees_all>(q, good, bad)).get();
    });
}

TEST_CASE("a completion queue that returns to its node is the same queue, and outlives its handles there") {
  test::on_all_nodes({.nodes = 2}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    const auto done = user_event::create();
    auto q = completion_queue::create();
    const auto back = async(at_node(1), call<&passes_on>(q)).get();
    CHECK(back == q);
    CHECK_FALSE(back == completion_queue::create());
    CHECK(completion_queue() == completion_queue());
    async(at_node(1), call<&adds>(q, done)).get();
    CHECK(q.size().pending == 1);
    done.trigger();
    CHECK(async(at_node(1), call<&pops>(q, std::size_t{4})).get() == 1);
    CHECK(back.size().ended + back.size().pending == 0);
  });
}

TEST_CASE("a destroyed queue is refused on other nodes, and a queue that was never made on every node") {
  test::on_all_nodes({.nodes = 2}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    const auto q = completion_queue::create();
    const auto held = async(at_node(1), call(
                                            [](completion_queue q) {
                                              q.add(event());
                                              q.destroy();
                                              return std::vector{test::error_of([&] { q.add(event()); }).code(),
                                                                 test::error_of([&] { q.pop(1); }).code(),
                                                                 test::error_of([&] { q.nonempty(); }).code(),
                                                                 test::error_of([&] { q.size(); }).code()};
                                            },
                                            q));
    CHECK(held.get() == std::vector<std::string>(4, "E27"));
    CHECK(q.pop(2).size() == 1);  // it still works here
    CHECK(test::error_of([] { completion_queue().add(event()); }).code() == "E27");
    CHECK(test::error_of([] { completion_queue().destroy(); }).code() == "E27");
  });
}

TEST_CASE("a queue of an independent runtime is refused") {
  runtime one({.workers = 1});
  std::vector<std::byte> sent;
  one.run([&] { sent = to_bytes(completion_queue::create()); });
  runtime other({.workers = 1});
  other.run([&] { CHECK(test::error_of([&] { from_bytes<completion_queue>(sent).size(); }).code() == "E03"); });
}

TEST_CASE("events that all nodes add to one queue are popped once, by any node") {
  const int seeds = test::scaled(10, 500);
  for (int seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    constexpr std::uint32_t nodes = 3, each = 20;
    static std::atomic<std::uint64_t> popped, sum;
    popped = sum = 0;
    test::on_all_nodes({.nodes = nodes, .seed = std::uint64_t(seed)}, 1 + std::uint32_t(seed % 2), [&](runtime&) {
      if (this_node() != 0) return;
      const auto q = completion_queue::create();
      const auto works = [](const completion_queue& q, std::uint64_t seed) {
        std::mt19937_64 random(seed);
        std::vector<user_event> mine;
        for (std::uint32_t i = 0; i < each; ++i) {
          q.add(mine.emplace_back(user_event::create()));
          if (random() % 3 == 0) popped += q.pop(1 + random() % 3).size();
          if (random() % 2) mine[i].trigger(), mine[i] = user_event();
        }
        for (const user_event& e : mine)
          if (e != event()) e.trigger();
        std::array<entry, 4> some;
        while (popped < nodes * each) {
          const std::size_t n = q.pop(some);
          for (std::size_t i = 0; i < n; ++i) sum += some[i].which.has_triggered() && some[i].how.ok();
          popped += n;
          if (n == 0) yield();
        }
      };
      std::vector<future<void>> all;
      for (std::uint32_t n = 0; n < nodes; ++n)
        all.push_back(async(at_node(n), call(works, q, std::uint64_t(seed) * 10 + n)));
      for (const auto& f : all) f.get();
      CHECK(q.size().ended + q.size().pending == 0);
    });
    CHECK(popped == nodes * each);
  }
}

TEST_CASE("an index space travels as a value") {
  test::on_all_nodes({.nodes = 2}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    index_space s(200);
    for (int i = 0; i < 100; ++i) s.allocate();
    s.free(element{50});
    const index_space back = async(at_node(1), call<&frees_and_takes>(s)).get();
    CHECK(s.size() == 99);
    CHECK(s.contains(element{0}));
    CHECK(back.size() == 101);
    CHECK(back.capacity() == 200);
    CHECK(back.runs() == std::vector{box(0, 101)});
  });
}

TEST_SUITE_END();

}  // namespace stretto
