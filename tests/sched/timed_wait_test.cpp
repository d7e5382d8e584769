#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <stretto/stretto.hpp>

#include "campaign.hpp"
#include "sched/with_runtimes.hpp"

using namespace stretto;
using namespace std::chrono_literals;

namespace {

/// As with_runtimes, with a clock that the body moves.
template <class Body>
void with_clock(Body&& body) {
  for (const bool stepped : {false, true})
    for (const std::uint32_t workers : {1u, 2u, 4u}) {
      CAPTURE(stepped);
      CAPTURE(workers);
      const auto clock = std::make_shared<manual_clock>();
      runtime rt({.workers = workers, .stepped = stepped, .clock = clock});
      rt.run([&] { body(*clock); });
    }
}

void step_all(runtime& rt) {
  while (rt.step()) continue;
}

}  // namespace

TEST_CASE("a wait with a deadline returns whether its dependency has ended") {
  with_clock([](manual_clock& clock) {
    const auto never = user_event::create();
    const auto soon = within(1ms);
    const auto late = async([=] { return wait(never, soon); });
    clock.advance(1ms);
    CHECK_FALSE(late.get());
    CHECK_FALSE(wait(never, within(-5s)));
    CHECK_FALSE(wait(never, until(clock.now())));
    CHECK(wait(event(), within(0s)));
    const auto done = async([] { return 7; });
    CHECK(wait(done, within(1h)));
    CHECK(wait(async([] {}), within(std::chrono::hours::max())));
    never.trigger();
    CHECK(wait(never, within(0s)));
  });
}

TEST_CASE("a wait gives up at its deadline by the runtime's clock, and not before") {
  const auto clock = std::make_shared<manual_clock>();
  runtime rt({.workers = 2, .stepped = true, .clock = clock});
  future<bool> early, late;
  user_event never;
  {
    const attached_thread here(rt);
    never = user_event::create();
    CHECK(time_now() == clock->now());
    early = async([=] { return wait(never, within(2s)); });
    late = async([=] { return wait(never, until(manual_clock::time_point(3s))); });
  }
  step_all(rt);
  clock->advance(2s - 1ns);
  step_all(rt);
  CHECK_FALSE(early.is_ready());
  clock->advance(1ns);
  step_all(rt);
  CHECK(early.is_ready());
  CHECK_FALSE(late.is_ready());
  clock->advance_to(manual_clock::time_point(1s));  // never back
  clock->advance(-5s);
  CHECK(clock->now() == manual_clock::time_point(2s));
  clock->advance_to(manual_clock::time_point(3s));
  step_all(rt);
  REQUIRE(late.is_ready());
  const attached_thread here(rt);
  CHECK_FALSE(early.get());
  CHECK_FALSE(late.get());
  early = late = {};
  never.trigger();
}

TEST_CASE("without a clock of the program, deadlines use the steady clock") {
  test::with_runtimes([] {
    const auto before = std::chrono::steady_clock::now(), now = time_now();
    CHECK(now >= before);
    CHECK(now <= std::chrono::steady_clock::now());
    const auto never = user_event::create();
    CHECK_FALSE(wait(never, within(1us)));
    CHECK(wait(async([] {}), within(1h)));
    never.trigger();
  });
  const auto outside = time_now();
  CHECK(outside <= std::chrono::steady_clock::now());
}

TEST_CASE("an event whose wait has timed out ends as usual, and can be waited for again") {
  with_clock([](manual_clock& clock) {
    const auto gate = user_event::create();
    const auto late = async(after(gate), [] { return 3; });
    for (int i = 0; i < 3; ++i) {
      const auto by = within(100us);
      const auto waits = async([=] { return wait(late, by); });
      clock.advance(100us);
      CHECK_FALSE(waits.get());
    }
    const auto other = async([late] { return wait(late, within(1h)) ? late.get() : 0; });
    gate.trigger();
    CHECK(other.get() == 3);
    CHECK(late.get() == 3);
  });
}

TEST_CASE("a wait with a deadline throws the failure of its dependency") {
  with_clock([](manual_clock&) {
    const auto failed = async([] { throw std::runtime_error("no ink"); });
    CHECK_THROWS_WITH(wait(failed, within(1h)), "no ink");
    const auto poisoned_later = user_event::create();
    async([=] { poisoned_later.poison(std::make_exception_ptr(std::runtime_error("no paper"))); });
    CHECK_THROWS_WITH(wait(poisoned_later, within(1h)), doctest::Contains("no paper"));
  });
}

TEST_CASE("a phase of a barrier is waited for until a deadline") {
  with_clock([](manual_clock& clock) {
    const barrier b = barrier::create(2);
    b.arrive();
    CHECK_FALSE(wait(b, within(0s)));
    const auto by = within(1s);
    const auto waits = async([=] { return wait(b, by); });
    clock.advance(1s);
    CHECK_FALSE(waits.get());
    const auto meets = async([=] { return wait(b, within(1s)); });
    b.arrive();
    CHECK(meets.get());
    CHECK(wait(b, within(0s)));
    const barrier next = b.advance();
    const auto bad = user_event::create();
    next.arrive(bad);
    next.arrive();
    bad.poison(std::make_exception_ptr(std::runtime_error("no quorum")));
    CHECK_THROWS_WITH(wait(next, within(1s)), doctest::Contains("no quorum"));
    const auto gone = async([=] { return wait(next.advance(), within(1s)); });
    next.advance().destroy();
    CHECK_THROWS_WITH(wait(gone), doctest::Contains("error E2"));  // E25, or E22 where it was destroyed before
  });
}

TEST_CASE("waits give up in the order of their deadlines, whatever the order in which they began") {
  const int rounds = test::scaled_of_one_thread(100, 2'000);
  for (int seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const auto clock = std::make_shared<manual_clock>();
    const auto workers = 1 + static_cast<std::uint32_t>(random() % 3);
    runtime rt({.workers = workers, .seed = std::uint64_t(seed), .stepped = true, .clock = clock});
    struct one {
      user_event gate;
      std::chrono::nanoseconds by;
      future<bool> waits;
      bool is_triggered = false;
    };
    std::vector<one> all(20);
    {
      const attached_thread here(rt);
      for (one& o : all) {
        o.gate = user_event::create();
        o.by = std::chrono::nanoseconds(random() % 50);
        o.waits = async([gate = o.gate, by = o.by] { return wait(gate, until(manual_clock::time_point(by))); });
      }
    }
    step_all(rt);
    while (clock->now() < manual_clock::time_point(60ns)) {
      {
        const attached_thread here(rt);
        for (const one& o : all)
          CHECK(o.waits.is_ready() == (o.is_triggered || manual_clock::time_point(o.by) <= clock->now()));
        one& next = all[random() % all.size()];
        if (!std::exchange(next.is_triggered, true)) next.gate.trigger();
      }
      clock->advance(std::chrono::nanoseconds(random() % 8));
      step_all(rt);
    }
    const attached_thread here(rt);
    for (one& o : all) {
      o.waits = {};
      if (!o.is_triggered) o.gate.trigger();
    }
  }
}

TEST_CASE("many waits give up and end at the same time, none twice") {
  for (const std::uint32_t workers : {1u, 3u}) {
    const auto clock = std::make_shared<manual_clock>();
    runtime rt({.workers = workers, .clock = clock});
    rt.run([&] {
      std::vector<future<bool>> all;
      std::vector<user_event> gates;
      const auto begin = clock->now();
      for (int i = 0; i < 300; ++i) {
        gates.push_back(user_event::create());
        const auto by = until(begin + std::chrono::microseconds(i * 7));
        all.push_back(async([=, gate = gates.back()] { return wait(gate, by); }));
      }
      std::thread moves([&] {
        for (int i = 0; i < 300; ++i) clock->advance(7us);
      });
      for (const auto& gate : gates) async([gate] { gate.trigger(); });
      for (const auto& one : all) one.get();
      for (const auto& gate : gates) CHECK(wait(gate, within(1h)));
      moves.join();
    });
  }
}

TEST_CASE("all waits whose deadline passes while any thread moves the clock give up") {
  for (const std::uint32_t workers : {1u, 3u}) {
    const auto clock = std::make_shared<manual_clock>();
    runtime rt({.workers = workers, .clock = clock});
    const int rounds = test::scaled(200, 5'000);
    rt.run([&] {
      const auto never = user_event::create();
      for (int i = 0; i < rounds; ++i) {
        const auto by = within(1us);
        const auto waits = async([=] { return wait(never, by); });
        std::thread([&] { clock->advance(1us); }).join();
        CHECK_FALSE(waits.get());
      }
      never.trigger();
    });
  }
}

TEST_CASE("an attached thread waits with a deadline, even if no worker is active") {
  const auto clock = std::make_shared<manual_clock>();
  runtime rt({.workers = 1, .clock = clock});
  std::thread([&] {
    attached_thread here(rt);
    const auto never = user_event::create();
    const auto by = within(1ms);
    std::thread moves([&] { clock->advance(1ms); });
    CHECK_FALSE(wait(never, by));
    moves.join();
    CHECK(wait(async([] {}), within(1h)));
    never.trigger();
  }).join();
}

TEST_CASE("a clock outlives a runtime that used it, and may be moved while the runtime ends") {
  const auto clock = std::make_shared<manual_clock>();
  std::atomic<bool> over{false};
  std::thread moves([&] {
    while (!over) clock->advance(1ns);
  });
  for (int i = 0; i < 20; ++i) {
    runtime rt({.workers = 2, .clock = clock});
    rt.run([] {
      const auto never = user_event::create();
      CHECK_FALSE(wait(never, within(10ns)));
      never.trigger();
    });
  }
  over = true;
  moves.join();
}
