// shared_core_test.cpp - an idle worker leaves a core that another worker uses.
#include "sched/shared_core.hpp"

#include <doctest/doctest.h>
#include <sched.h>

#include <atomic>

#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include "base/clock.hpp"
#include "sched/scheduler.hpp"

namespace stretto::sched {
namespace {

cpu_set_t allowed_cores() {
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  return set;
}

/// Runs body(own, other) on worker 0 of two, while a task keeps the other one awake.
template <class Body>
void next_to_busy_worker(Body&& body) {
  runtime rt({.workers = 2});
  rt.run([&] {
    std::atomic<bool> is_busy = false, is_over = false;
    const auto busy = async(on(stretto::worker(1)), [&] {
      is_busy = true;
      while (!is_over) sched_yield();
    });
    wait(async(on(stretto::worker(0)), [&] {
      while (!is_busy) sched_yield();
      const thread_state& here = *this_thread();
      body(*here.as_worker, *here.owner->workers[1]);
      is_over = true;
    }));
    wait(busy);
  });
}

}  // namespace

TEST_CASE("a worker shares its core with one that is awake there, not with one that is elsewhere") {
  next_to_busy_worker([](worker& own, worker& other) {
    own.core = 5;
    other.core = 5;
    CHECK(is_core_shared(own));
    other.core = 6;
    CHECK_FALSE(is_core_shared(own));
  });
}

TEST_CASE("a worker moves to an unused core and may then run on all cores as before") {
  const cpu_set_t before = allowed_cores();
  if (CPU_COUNT(&before) < 2) return;
  next_to_busy_worker([&](worker& own, worker& other) {
    int changes = 0;
    std::uint64_t now = base::nanoseconds_now();
    for (int i = 0; i < 100; ++i, now += 2'000'000) {
      note_core(own);
      const int first = own.core;
      other.core = first;
      REQUIRE(leave_core(own, now));
      CHECK_FALSE(leave_core(own, now + 1000));  // too soon
      const cpu_set_t after = allowed_cores();
      CHECK(CPU_EQUAL(&before, &after));
      changes += own.core != first;  // the kernel may have moved it back meanwhile
    }
    CHECK(changes > 0);
  });
}

TEST_CASE("a worker stays where it is if it may run on no other core") {
  next_to_busy_worker([](worker& own, worker& other) {
    const cpu_set_t before = allowed_cores();
    note_core(own);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(own.core, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    other.core = own.core.load();
    CHECK_FALSE(leave_core(own, base::nanoseconds_now()));
    const cpu_set_t after = allowed_cores();
    CHECK(CPU_EQUAL(&one, &after));
    REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
  });
}

}  // namespace stretto::sched
