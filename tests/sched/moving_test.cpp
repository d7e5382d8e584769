// task_test.cpp - what stays with a task when it moves or waits, which goes first, and who gets its value.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

TEST_CASE("an exception that a task handles stays with it when it continues on another worker") {
  runtime rt({.workers = 2});
  std::atomic<int> kept{0}, moved{0};
  int round = 0;
  for (; round < 50 || (moved == 0 && round < 5000); ++round)
    rt.run([&] {
      const user_event go = user_event::create();
      for (int i = 0; i < 8; ++i)
        async([&, i, go] {
          const auto before = this_worker();
          try {
            throw i;
          } catch (int) {
            wait(go);
            moved += this_worker() != before;
            try {
              throw;
            } catch (int same) {
              kept += same == i;
            }
          }
        });
      for (int i = 0; i < 8; ++i) yield();
      async(on(worker(round % 2)), [go] { go.trigger(); }).get();
    });
  CHECK(kept == 8 * round);
  CHECK(moved > 0);
}

TEST_CASE("a bound task stays on its worker when the task that it waits for suspends and continues elsewhere") {
  runtime rt({.workers = 2});
  std::atomic<int> stayed{0};
  for (int round = 0; round < 50; ++round)
    rt.run([&] {
      const user_event inside = user_event::create(), gate = user_event::create();
      async(on(worker(1)), [&stayed, inside, gate] {
        auto child = async([inside, gate] {
          inside.trigger();
          wait(gate);
        });
        child.get();
        stayed += this_worker() == 1;
      });
      wait(inside);
      for (int i = 0; i < 100; ++i) yield();
      gate.trigger();
    });
  CHECK(stayed == 50);
}

TEST_CASE("of what is ready on one worker, the higher priority goes first, also at the end of a finish") {
  runtime rt({.workers = 1});
  std::string order;
  rt.run([&] {
    async(priority(-3), [&] { order += "d"; });
    async([&] { order += "c"; });
    async(priority(1), [&] { order += "b"; });
    async(priority(127), [&] { order += "a"; });
  });
  CHECK(order == "abcd");
}

TEST_CASE("a task that yields goes on where no stack is left for others to run on") {
  setenv("STRETTO_MAX_SUSPENDED", "5", 1);
  runtime rt({.workers = 2});
  unsetenv("STRETTO_MAX_SUSPENDED");
  std::atomic<int> ended{0};
  rt.run([&] {
    for (int i = 0; i < 200; ++i)
      async([&] {
        yield();
        ++ended;
      });
    while (ended < 200) yield();
  });
  CHECK(ended == 200);
}

TEST_CASE("a future may be read and dropped outside of run, on a thread of no runtime") {
  runtime rt({.workers = 2});
  auto text = rt.run([] { return async([] { return std::string(100, 'x'); }); });
  CHECK(text.get().size() == 100);
  text = {};
  CHECK_FALSE(text.valid());
}

TEST_CASE("a value is moved out by the last future only") {
  runtime rt({.workers = 1});
  rt.run([] {
    auto one = async([] { return std::string(100, 'x'); });
    auto other = one;
    CHECK(std::move(one).get().size() == 100);
    one = {};
    CHECK(other.get().size() == 100);
    const void* where = other.get().data();
    CHECK(std::move(other).get().data() == where);
  });
}
