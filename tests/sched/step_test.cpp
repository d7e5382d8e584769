#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

#include "campaign.hpp"

using namespace stretto;

namespace {

/// A small program with everything that the scheduler does; returns the order in which its tasks ran.
std::string trace_of(std::uint64_t seed, std::uint32_t workers) {
  std::string order;
  runtime rt({.workers = workers, .seed = static_cast<std::uint64_t>(seed), .stepped = true});
  rt.run([&] {
    auto gate = user_event::create();
    promise<int> p;
    auto promised = p.get_future();
    finish([&] {
      for (char c = 'a'; c < 'f'; ++c) async([&order, c] { order += c; });
      async(on(worker(workers - 1)), [&, gate] {
        order += '(';
        wait(gate);
        order += ')';
      });
      async(after(gate), priority(3), [&] { order += '!'; });
      async([&] { order += char('0' + promised.get()); });
      async([&, gate] {
        finish([&] {
          for (char c = 'u'; c < 'x'; ++c) async([&order, c] { order += c; });
        });
        gate.trigger();
        p.set(7);
      });
    });
  });
  return order;
}

}  // namespace

TEST_CASE("a stepped runtime replays exactly from its seed, and other seeds take other orders") {
  for (std::uint32_t workers : {1u, 2u, 4u}) {
    std::set<std::string> orders;
    const int seeds = test::scaled_of_one_thread(200, 2'000);
    for (int seed = 1; seed <= seeds; ++seed) {
      const auto order = trace_of(seed, workers);
      CHECK(order.size() == 12);
      CHECK(order == trace_of(seed, workers));
      orders.insert(order);
    }
    if (workers > 1) CHECK(orders.size() > 10);
  }
}

TEST_CASE("step runs one ready task and returns whether there was one") {
  runtime rt({.workers = 2, .stepped = true});
  int ran = 0;
  {
    attached_thread here(rt);
    for (int i = 0; i < 3; ++i) async([&] { ++ran; });
  }
  for (int i = 0; i < 3; ++i) {
    CHECK(ran == i);
    CHECK(rt.step());
  }
  CHECK(ran == 3);
  CHECK_FALSE(rt.step());
}

TEST_CASE("step on a runtime with threads is refused") {
  runtime rt({.workers = 1});
  try {
    rt.step();
    FAIL("no error");
  } catch (const error& e) {
    CHECK(e.code() == "S01");
  }
}

TEST_CASE("fork and join give the same sums in every order that a seed draws") {
  struct fibonacci {
    static long of(int n) {
      if (n < 2) return n;
      auto a = async([n] { return of(n - 1); });
      const long b = of(n - 2);
      return a.get() + b;
    }
  };
  for (int seed = 1; seed <= test::scaled_of_one_thread(50, 2000); ++seed) {
    runtime rt({.workers = 3, .seed = static_cast<std::uint64_t>(seed), .stepped = true});
    CHECK(rt.run([] { return fibonacci::of(12); }) == 144);
  }
}

TEST_CASE("a stepped run keeps searching for tasks that an attached thread will make ready") {
  runtime rt({.workers = 2, .stepped = true});
  user_event e;
  std::atomic<bool> ready{false}, attached{false};
  std::thread outside([&] {
    attached_thread here(rt);
    attached = true;
    while (!ready) std::this_thread::yield();
    e.trigger();
  });
  rt.run([&] {
    e = user_event::create();
    while (!attached) std::this_thread::yield();
    for (int i = 0; i < 3; ++i) async([] {}).get();
    ready = true;
    wait(e);
    CHECK(e.has_triggered());
  });
  outside.join();
}
