#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include <stretto/stretto.hpp>

#include "sched/with_runtimes.hpp"

using namespace stretto;
using namespace std::chrono_literals;

TEST_CASE("a wait with a deadline says whether what it waited for has ended") {
  test::with_runtimes([] {
    const auto never = user_event::create();
    CHECK_FALSE(wait(never, within(1ms)));
    CHECK_FALSE(wait(never, within(-5s)));
    CHECK_FALSE(wait(never, until(std::chrono::steady_clock::now())));
    CHECK(wait(event(), within(0s)));
    const auto done = async([] { return 7; });
    CHECK(wait(done, within(1h)));
    CHECK(wait(async([] {}), within(std::chrono::hours::max())));
    never.trigger();
    CHECK(wait(never, within(0s)));
  });
}

TEST_CASE("what a wait has given up on ends as ever, and can be waited for again") {
  test::with_runtimes([] {
    const auto gate = user_event::create();
    const auto late = async(after(gate), [] { return 3; });
    for (int i = 0; i < 3; ++i) CHECK_FALSE(wait(late, within(100us)));
    const auto other = async([late] { return wait(late, within(1h)) ? late.get() : 0; });
    gate.trigger();
    CHECK(other.get() == 3);
    CHECK(late.get() == 3);
  });
}

TEST_CASE("a wait with a deadline throws the failure of what has ended") {
  test::with_runtimes([] {
    const auto failed = async([] { throw std::runtime_error("no ink"); });
    CHECK_THROWS_WITH(wait(failed, within(1h)), "no ink");
    const auto poisoned_later = user_event::create();
    async([=] { poisoned_later.poison(std::make_exception_ptr(std::runtime_error("no paper"))); });
    CHECK_THROWS_WITH(wait(poisoned_later, within(1h)), doctest::Contains("no paper"));
  });
}

TEST_CASE("many waits give up and end at the same time, none twice") {
  for (const std::uint32_t workers : {1u, 3u}) {
    runtime rt({.workers = workers});
    rt.run([] {
      std::vector<future<bool>> all;
      std::vector<user_event> gates;
      for (int i = 0; i < 300; ++i) {
        gates.push_back(user_event::create());
        all.push_back(async([gate = gates.back(), i] { return wait(gate, within(std::chrono::microseconds(i * 7))); }));
      }
      for (const auto& gate : gates) async([gate] { gate.trigger(); });
      for (const auto& one : all) one.get();
      for (const auto& gate : gates) CHECK(wait(gate, within(1h)));
    });
  }
}

TEST_CASE("an attached thread waits with a deadline, also where no worker comes by") {
  runtime rt({.workers = 1});
  std::thread([&] {
    attachment here(rt);
    const auto never = user_event::create();
    CHECK_FALSE(wait(never, within(1ms)));
    CHECK(wait(async([] {}), within(1h)));
    never.trigger();
  }).join();
}
