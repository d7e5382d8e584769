#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

#include "campaign.hpp"
#include "function_reference.hpp"

using namespace stretto;

namespace {

long fib(int n) {
  if (n < 2) return n;
  auto a = async([n] { return fib(n - 1); });
  const long b = fib(n - 2);
  return a.get() + b;
}

void on_each_worker_count(test::function_reference<void()> body) {
  for (std::uint32_t workers : {1u, 2u, 3u}) {
    CAPTURE(workers);
    runtime rt({.workers = workers});
    rt.run([&] { body(); });
  }
}

}  // namespace

TEST_CASE("a task's value reaches every holder of its future") {
  on_each_worker_count([] {
    auto a = async([] { return 20; });
    auto b = async([] { return 22; });
    auto sum = async(after(a, b), [=] { return a.get() + b.get(); });
    CHECK(sum.get() == 42);
    CHECK(a.get() == 20);
  });
}

TEST_CASE("fork and join nest to any depth that the program has") {
  on_each_worker_count([] { CHECK(fib(20) == 6765); });
}

TEST_CASE("a value may own memory, and is destroyed once") {
  on_each_worker_count([] {
    auto counted = std::make_shared<int>(7);
    {
      auto f = async([counted] { return counted; });
      CHECK(*f.get() == 7);
      auto moved = std::move(f).get();
      CHECK(*moved == 7);
    }
    CHECK(counted.use_count() == 1);
  });
}

TEST_CASE("captures of any size travel with the task") {
  on_each_worker_count([] {
    std::array<long, 1000> large;
    std::iota(large.begin(), large.end(), 0L);
    auto gate = user_event::create();
    auto f = async(after(gate, gate, gate), [large] { return std::accumulate(large.begin(), large.end(), 0L); });
    gate.trigger();
    CHECK(f.get() == 499500);
  });
}

TEST_CASE("a task starts only when all its preconditions have ended") {
  on_each_worker_count([] {
    for (int round = 0; round < test::scaled(200, 20000); ++round) {
      std::atomic<int> done{0};
      std::vector<future<void>> first;
      for (int i = 0; i < 7; ++i) first.push_back(async([&] { ++done; }));
      auto gate = user_event::create();
      auto last = async(after(first[6], first[0], gate, first[3]), name("last"), [&] { return done.load(); });
      for (auto& f : first) f.get();
      CHECK_FALSE(last.is_ready());
      gate.trigger();
      CHECK(last.get() == 7);
    }
  });
}

TEST_CASE("three hundred preconditions are as good as one") {
  on_each_worker_count([] {
    std::atomic<int> done{0};
    std::vector<event> all;
    for (int i = 0; i < 300; ++i) all.push_back(async([&] { ++done; }));
    CHECK(async(after(std::span<const event>(all)), [&] { return done.load(); }).get() == 300);
  });
}

TEST_CASE("get throws the exception of the task, with its own type") {
  on_each_worker_count([] {
    auto f = async([]() -> int { throw std::out_of_range("row 7"); });
    CHECK_THROWS_AS(f.get(), std::out_of_range);
    CHECK(f.is_poisoned());
    CHECK_FALSE(f.result().ok());
  });
}

TEST_CASE("a task whose precondition failed is skipped, and its failure names the cause") {
  on_each_worker_count([] {
    bool ran = false;
    auto bad = async(name("load"), [] { throw std::runtime_error("disk is gone"); });
    auto next = async(after(bad), name("solve"), [&] { ran = true; });
    auto last = async(after(next), name("write"), [&] { ran = true; });
    try {
      last.get();
      FAIL("not poisoned");
    } catch (const poisoned& e) {
      const std::string text = e.what();
      CHECK(text.find("\"write\"") != text.npos);
      CHECK(text.find("\"load\"") != text.npos);
      CHECK_THROWS_AS(std::rethrow_exception(e.root()), std::runtime_error);
    }
    CHECK_FALSE(ran);
    CHECK_THROWS_AS(bad.get(), std::runtime_error);
  });
}

TEST_CASE("run throws a failure that was not observed") {
  for (std::uint32_t workers : {1u, 2u}) {
    runtime rt({.workers = workers});
    CHECK_THROWS_AS(rt.run([] { async([] { throw std::logic_error("unseen"); }); }), std::logic_error);
    CHECK_NOTHROW(rt.run([] {
      auto f = async([] { throw std::logic_error("seen"); });
      CHECK_THROWS(f.get());
    }));
  }
}

TEST_CASE("finish waits for tasks of tasks and counts their failures") {
  on_each_worker_count([] {
    std::atomic<int> leaves{0};
    finish([&] {
      for (int i = 0; i < 10; ++i)
        async([&] {
          for (int j = 0; j < 10; ++j)
            async([&] {
              finish([&] {
                for (int k = 0; k < 10; ++k) async([&] { ++leaves; });
              });
              ++leaves;
            });
        });
    });
    CHECK(leaves == 1100);
    try {
      finish([] {
        for (int i = 0; i < 3; ++i) async(name("bad"), [] { throw std::runtime_error("no"); });
      });
      FAIL("nothing thrown");
    } catch (const error& e) {
      CHECK(e.code() == "S06");
      CHECK(e.sentence() == "3 tasks failed inside one finish");
    }
  });
}

TEST_CASE("a finish whose body throws waits for its tasks first") {
  on_each_worker_count([] {
    std::atomic<int> done{0};
    CHECK_THROWS_AS(finish([&] {
                      for (int i = 0; i < 50; ++i) async([&] { ++done; });
                      throw std::runtime_error("body");
                    }),
                    std::runtime_error);
    CHECK(done == 50);
  });
}

TEST_CASE("a finish does not wait for detached tasks, even if its body has waited, but for those spawned afterwards") {
  on_each_worker_count([] {
    const user_event later = user_event::create();
    std::atomic<int> detached_ones = 0, counted = 0;
    event last;
    finish([&] {
      const int said = detached([&] {
        last = async(after(later), [&] { ++detached_ones; });
        wait(async([] { std::this_thread::yield(); }));  // it may resume on another worker
        async(after(last), [&] { ++detached_ones; });
        finish([&] { async([&] { ++counted; }); });
        CHECK(counted == 1);
        return 7;
      });
      CHECK(said == 7);
      for (int i = 0; i < 10; ++i) async([&] { ++counted; });
    });
    CHECK(counted == 11);
    CHECK(detached_ones == 0);
    later.trigger();
    wait(last);
    while (detached_ones < 2) wait(async([] { std::this_thread::yield(); }));
    finish([&] {
      CHECK_THROWS_AS(detached([] { throw std::out_of_range("left early"); }), std::out_of_range);
      async([&] { ++counted; });
    });
    CHECK(counted == 12);
  });
}

TEST_CASE("the end of a runtime waits for detached tasks, and their failures are reported only by their futures") {
  for (std::uint32_t workers : {1u, 2u}) {
    std::atomic<int> done = 0;
    {
      runtime rt({.workers = workers});
      rt.run([&] {
        auto fails = detached([] { return async([] { throw std::out_of_range("of nobody's finish"); }); });
        finish([&] { CHECK_THROWS_AS(fails.get(), std::out_of_range); });
        detached([&] {
          for (int i = 0; i < 100; ++i) async([&] { async([&] { ++done; }); });
        });
      });
    }
    CHECK(done == 100);
  }
}

TEST_CASE("tasks that wait for each other's promises hand over without end") {
  on_each_worker_count([] {
    const int n = test::scaled(2000, 200000);
    std::vector<promise<int>> ping(n), pong(n);
    std::vector<future<int>> pinged, ponged;
    for (auto& p : ping) pinged.push_back(p.get_future());
    for (auto& p : pong) ponged.push_back(p.get_future());
    long sum = 0;
    finish([&] {
      async([&] {
        for (int i = 0; i < n; ++i) {
          ping[i].set(i);
          CHECK(ponged[i].get() == i + 1);
        }
      });
      async([&] {
        for (int i = 0; i < n; ++i) {
          sum += pinged[i].get();
          pong[i].set(i + 1);
        }
      });
    });
    CHECK(sum == long(n) * (n - 1) / 2);
  });
}

TEST_CASE("a promise that is dropped poisons its future") {
  on_each_worker_count([] {
    future<int> f;
    {
      promise<int> p;
      f = p.get_future();
    }
    try {
      f.get();
      FAIL("no poison");
    } catch (const error& e) {
      CHECK(e.code() == "E12");
    }
  });
}

TEST_CASE("waiting for an event suspends the task, and its worker goes on") {
  on_each_worker_count([] {
    auto gate = user_event::create();
    auto waiter = async([=] {
      wait(gate);
      return 1;
    });
    auto opener = async([=] { gate.trigger(); });
    CHECK(waiter.get() == 1);
    opener.get();
  });
}

TEST_CASE("a thousand tasks may be suspended at once") {
  on_each_worker_count([] {
    auto gate = user_event::create();
    std::atomic<int> passed{0};
    finish([&] {
      for (int i = 0; i < 1000; ++i)
        async([&, gate] {
          wait(gate);
          ++passed;
        });
      async([gate] { gate.trigger(); });
    });
    CHECK(passed == 1000);
  });
}

TEST_CASE("finishes nested two thousand deep move to further stacks") {
  on_each_worker_count([] {
    std::atomic<int> depth{0};
    struct nest {
      static void go(int left, std::atomic<int>& depth) {
        ++depth;
        if (left) finish([&] { async([left, &depth] { go(left - 1, depth); }); });
      }
    };
    nest::go(2000, depth);
    CHECK(depth == 2001);
  });
}

TEST_CASE("exceptions in flight belong to the task, not to the worker") {
  on_each_worker_count([] {
    auto gate = user_event::create();
    auto a = async([=]() -> std::string {
      try {
        throw std::runtime_error("mine");
      } catch (...) {
        wait(gate);
        try {
          throw;
        } catch (const std::exception& e) {
          return e.what();
        }
      }
    });
    auto b = async([=]() -> std::string {
      try {
        throw std::runtime_error("other");
      } catch (const std::exception& e) {
        gate.trigger();
        return e.what();
      }
    });
    CHECK(a.get() == "mine");
    CHECK(b.get() == "other");
  });
}

TEST_CASE("more tasks than a queue holds run in bounded memory") {
  for (std::uint32_t workers : {1u, 2u}) {
    runtime rt({.workers = workers});
    std::atomic<long> ran{0};
    const long n = test::scaled(300000L, 10000000L);
    rt.run([&] {
      for (long i = 0; i < n; ++i) async([&] { ran.fetch_add(1, std::memory_order_relaxed); });
    });
    CHECK(ran == n);
    CHECK(rt.statistics().task_bytes < (32u << 20));
  }
}

TEST_CASE("a task bound to a worker runs there, also after it suspended") {
  runtime rt({.workers = 3});
  rt.run([] {
    for (int round = 0; round < 50; ++round)
      for (std::uint32_t w = 0; w < 3; ++w) {
        auto gate = user_event::create();
        auto f = async(on(worker(w)), [=] {
          const auto before = this_worker();
          wait(gate);
          return std::pair(before, this_worker());
        });
        gate.trigger();
        CHECK(f.get() == std::pair(w, w));
      }
    CHECK_THROWS_AS(async(on(worker(3)), [] {}), error);
  });
}

TEST_CASE("among ready tasks of one worker the higher priority goes first") {
  runtime rt({.workers = 1});
  rt.run([] {
    std::vector<int> order;
    auto gate = user_event::create();
    finish([&] {
      for (int p : {1, 5, 3, -2, 0, 4}) async(after(gate), priority(p), [&order, p] { order.push_back(p); });
      gate.trigger();
    });
    CHECK(order == std::vector{5, 4, 3, 1, 0, -2});
    CHECK_THROWS_AS(async(priority(200), [] {}), error);
  });
}

TEST_CASE("a task at a place may run anywhere whose paths lead there") {
  runtime rt({.workers = 2});
  const auto& machine = rt.machine();
  rt.run([&] {
    std::atomic<int> ran{0};
    finish([&] {
      for (place p : machine.places())
        if (machine.is_served(p)) async(at(p), [&] { ++ran; });
    });
    CHECK(ran > 0);
    CHECK_THROWS_AS(async(at(place{9999}), [] {}), error);
  });
}

TEST_CASE("attached threads spawn, wait and finish like tasks do") {
  for (std::uint32_t workers : {2u, 3u}) {
    runtime rt({.workers = workers});
    std::atomic<long> sum{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        attached_thread here(rt);
        for (int i = 0; i < 200; ++i) sum += async([t, i] { return t * 1000 + i; }).get();
        finish([&] {
          for (int i = 0; i < 100; ++i) async([&] { ++sum; });
        });
      });
    for (auto& t : threads) t.join();
    CHECK(sum == 4 * 100 + 200 * (0 + 1000 + 2000 + 3000) + 4 * (199 * 200 / 2));
  }
}

TEST_CASE("the error for a thread that is not attached says how to attach") {
  try {
    auto f = async([] {});
    FAIL("no error");
  } catch (const error& e) {
    CHECK(e.code() == "B20");
  }
}

TEST_CASE("sixteen runtimes may live at once, and again") {
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<runtime>> all;
    for (int i = 0; i < 16; ++i) all.push_back(std::make_unique<runtime>(runtime_options{.workers = 2}));
    long sum = 0;
    for (auto& rt : all) sum += rt->run([] { return fib(10); });
    CHECK(sum == 16 * 55);
  }
}

TEST_CASE("when_any is ready with the first success, poisoned only if all fail") {
  on_each_worker_count([] {
    auto slow = user_event::create();
    auto a = async(after(slow), [] { return 1; });
    auto b = async([] { return 2; });
    CHECK(when_any(a, b).get() == 1);
    auto bad = async([]() -> int { throw std::runtime_error("x"); });
    CHECK(when_any(bad, b).get() == 1);
    CHECK_THROWS_AS(when_any(bad).get(), std::runtime_error);
    slow.trigger();
    CHECK(when_any(a, bad).get() == 0);
    when_all(a, b).get();
    CHECK_THROWS_AS(when_any(std::span<const dependency>()), error);
  });
}

TEST_CASE("tasks that wait for an untriggered event are poisoned when the runtime ends") {
  for (std::uint32_t workers : {1u, 2u, 3u}) {
    std::string seen, text;
    bool ran = false;
    {
      runtime rt({.workers = workers});
      std::thread outside([&] {
        attached_thread a(rt);
        auto gate = user_event::create();
        async([=, &seen] {
          try {
            wait(gate);
          } catch (const error& e) {
            seen = e.code();
          }
        });
        async(after(gate), [&] { ran = true; });
      });
      outside.join();
    }
    CHECK(seen == "E14");
    CHECK_FALSE(ran);
  }
}

TEST_CASE("with STRETTO_TRACE's option every task stands in the timeline, under its name") {
  const std::string file = "trace_of_sched_test.json";
  {
    runtime rt({.workers = 2, .trace = file});
    rt.run([] {
      auto gate = user_event::create();
      auto a = async(after(gate), name("first step"), [] {});
      auto b = async(after(a), name("second step"), [] {});
      gate.trigger();
      b.get();
    });
  }
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  CHECK(text.find("first step") != text.npos);
  CHECK(text.find("second step") != text.npos);
  CHECK(text.find("\"ph\":\"s\"") != text.npos);  // an arrow from the first to the second
  std::remove(file.c_str());
}
