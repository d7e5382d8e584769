#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <stretto/coroutine.hpp>
#include <stretto/forasync.hpp>
#include <stretto/stretto.hpp>

#include "with_variable.hpp"

using namespace stretto;

TEST_CASE("a loop visits every index once, whatever the grain") {
  for (std::uint32_t workers : {1u, 2u}) {
    runtime rt({.workers = workers});
    rt.run([] {
      for (coordinate n : {0, 1, 7, 1000})
        for (coordinate grain : {1, 3, 64, 5000}) {
          std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
          forasync(box(0, n), extent(grain), [&](coordinate i) { ++seen[static_cast<std::size_t>(i)]; }).get();
          for (auto& s : seen) CHECK(s == 1);
        }
      std::atomic<int> cells{0};
      forasync(box(extent(13, 9, 5)), extent(2, 3, 5), [&](coordinate, coordinate, coordinate) { ++cells; }).get();
      CHECK(cells == 13 * 9 * 5);
      std::atomic<std::uint64_t> volume{0};
      forasync(box(extent(100, 100)), [&](const box& chunk) { volume += chunk.volume(); }).get();
      CHECK(volume == 10000);
    });
  }
}

TEST_CASE("chunks are cut at multiples of the grain") {
  runtime rt({.workers = 1});
  rt.run([] {
    forasync(box(5, 105), extent(10), [](const box& chunk) {
      CHECK((chunk.min()[0] - 5) % 10 == 0);
      CHECK(chunk.length(0) <= 10);
    }).get();
    CHECK_THROWS_AS(forasync(box(0, 10), extent(0), [](coordinate) {}), error);
  });
}

TEST_CASE("a loop whose body throws visits the rest and is poisoned") {
  for (std::uint32_t workers : {1u, 2u}) {
    runtime rt({.workers = workers});
    rt.run([] {
      std::atomic<int> visited{0};
      auto all = forasync(box(0, 100), extent(1), [&](coordinate i) {
        ++visited;
        if (i == 17) throw std::out_of_range("17");
      });
      CHECK_THROWS_AS(all.get(), std::out_of_range);
      CHECK(visited == 100);
    });
  }
}

namespace {
future<int> doubled(future<int> x) { co_return 2 * co_await x; }
future<int> after_event(event e, int value) {
  co_await e;
  co_return value;
}
future<void> failing(event e) {
  co_await e;
  throw std::runtime_error("late");
}
}  // namespace

TEST_CASE("a coroutine waits for events and futures without a stack") {
  for (std::uint32_t workers : {1u, 2u}) {
    runtime rt({.workers = workers});
    rt.run([] {
      auto gate = user_event::create();
      std::vector<future<int>> all;
      for (int i = 0; i < 5000; ++i) all.push_back(doubled(after_event(gate, i)));
      auto bad = failing(gate);
      gate.trigger();
      long sum = 0;
      for (auto& f : all) sum += f.get();
      CHECK(sum == 2L * 4999 * 5000 / 2);
      CHECK_THROWS_AS(bad.get(), std::runtime_error);
      CHECK(doubled(after_event(event(), 4)).get() == 8);
    });
  }
}

TEST_CASE("a worker should split its work while it has nothing queued for others") {
  runtime rt({.workers = 1});
  CHECK_FALSE(should_split());
  rt.run([] {
    CHECK(should_split());
    auto queued = async([] { return should_split(); });
    CHECK_FALSE(should_split());
    CHECK(queued.get());
    CHECK(should_split());
  });
}

TEST_CASE("a loop visits every index also if no task can be suspended any more") {
  const test::with_variable few("STRETTO_MAX_SUSPENDED", "4");
  runtime rt({.workers = 2});
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> waiting{0}, seen{0};
    const auto wait_if_possible = [&](event go) {
      ++waiting;
      try {
        wait(go);
      } catch (const error&) {
      }
    };
    rt.run([&] {
      const auto go = user_event::create();
      for (int i = 0; i < 6; ++i) async([&] { wait_if_possible(go); });
      while (waiting < 6) yield();
      CHECK_NOTHROW(
          finish([&] { forasync(box(0, 200), extent(1), [&](coordinate) { std::this_thread::yield(), ++seen; }); }));
      CHECK(seen == 200);
      go.trigger();
    });
  }
}

TEST_CASE("a join observes the failure of its task, whether or not the task had ended before") {
  for (const bool ended : {true, false}) {
    runtime rt({.workers = 1});
    CHECK_NOTHROW(rt.run([&] {
      const auto failed = async([] { throw std::runtime_error("no space"); });
      while (ended && !failed.is_ready()) yield();
      detail::join(failed, std::source_location::current());
      CHECK(failed.is_ready());
    }));
  }
}

TEST_CASE("a search that splits where it should reaches every worker and every node") {
  runtime rt({.workers = 4});
  std::atomic<long> nodes{0};
  struct search {
    std::atomic<long>& nodes;
    void operator()(std::vector<int> depths) const {
      long mine = 0;
      while (!depths.empty()) {
        const int depth = depths.back();
        depths.pop_back();
        ++mine;
        if (depth < 16) depths.insert(depths.end(), 2, depth + 1);
        if (depths.size() > 1 && should_split()) {
          const auto middle = depths.begin() + static_cast<std::ptrdiff_t>(depths.size() / 2);
          async([*this, older = std::vector(depths.begin(), middle)] { (*this)(older); });
          depths.erase(depths.begin(), middle);
        }
      }
      nodes += mine;
    }
  };
  for (int round = 0; round < 10; ++round) {
    nodes = 0;
    rt.run([&] { search{nodes}({0}); });
    CHECK(nodes == (1 << 17) - 1);
  }
}
