// Functions that block, on helper threads that are no workers.
#include "dist/blocking_threads.hpp"

#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>
#include <stretto/stretto.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <latch>
#include <source_location>
#include <stdexcept>
#include <thread>

#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto::dist {
namespace {

const auto here = std::source_location::current();

}  // namespace

TEST_CASE("while functions block, the only worker runs the tasks that they wait for") {
  runtime rt({.workers = 1});
  rt.run([] {
    blocking_threads threads;
    std::latch all_are_in(3), may_go(1);
    std::atomic<int> returned{0};
    finish([&] {
      for (int i = 0; i < 3; ++i)
        async([&] { threads.run([&] { all_are_in.count_down(), may_go.wait(), ++returned; }, here); });
      async([&] {
        while (!all_are_in.try_wait()) yield();
        CHECK(returned == 0);
        may_go.count_down();
      });
    });
    CHECK(returned == 3);
  });
}

TEST_CASE("a function on a helper thread uses the runtime, and its task rethrows its exception") {
  runtime rt({.workers = 2});
  rt.run([] {
    blocking_threads threads;
    std::thread::id first, second;
    threads.run(
        [&] {
          first = std::this_thread::get_id();
          CHECK(async([] { return this_node() + 7; }).get() == 7);
        },
        here);
    threads.run([&] { second = std::this_thread::get_id(); }, here);
    CHECK(first == second);  // the thread is reused
    CHECK(first != std::this_thread::get_id());
    CHECK(test::thrown_by([&] { threads.run([] { throw std::runtime_error("no link"); }, here); }) == "no link");
    threads.run([] {}, here);  // the thread still works after an exception
  });
}

TEST_CASE("a function ends before its task goes on, also if no task can be suspended any more") {
  const test::with_variable few("STRETTO_MAX_SUSPENDED", "8");
  runtime rt({.workers = 1});
  rt.run([] {
    blocking_threads threads;
    const auto go = user_event::create();
    int refused = 0, ended = 0;
    finish([&] {
      const auto wait_if_possible = [&] {
        try {
          wait(go);
        } catch (const error&) {
          ++refused;
        }
      };
      for (int i = 0; i < 20; ++i) async(wait_if_possible);
      async(priority(-1), [&] {
        CHECK(refused > 0);
        std::latch is_in(1);
        threads.run([&] { is_in.count_down(), std::this_thread::yield(), ++ended; }, here);
        CHECK(ended == 1);
        CHECK(is_in.try_wait());
        go.trigger();
      });
    });
  });
}

}  // namespace stretto::dist
