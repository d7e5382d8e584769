// Tasks that wait for phases of barriers, on their workers' own and on one another.
#include <doctest/doctest.h>

#include <array>
#include <stdexcept>
#include <vector>

#include <stretto/stretto.hpp>

#include "campaign.hpp"

using namespace stretto;

namespace {

constexpr long steps = 300;

/// A ring of long-lived tasks: each step needs the previous step of both neighbours. `bound`: bound to workers in turn.
void run_ring(std::uint32_t workers, bool bound) {
  constexpr std::uint32_t tasks = 5;
  std::vector<barrier> done;
  for (std::uint32_t i = 0; i < tasks; ++i) done.push_back(barrier::create(1));
  std::vector<std::vector<long>> value(tasks, std::vector<long>(steps));
  const auto body = [&](std::uint32_t me) {
    std::array<std::uint32_t, 2> near{(me + 1) % tasks, (me + tasks - 1) % tasks};
    barrier mine = done[me], before[2] = {done[near[0]], done[near[1]]};
    value[me][0] = me;
    mine.arrive();
    for (long t = 1; t < steps; ++t) {
      mine = mine.advance();
      value[me][t] = value[me][t - 1];
      for (int n = 0; n < 2; ++n) {
        wait(before[n]);
        value[me][t] = (value[me][t] + value[near[n]][t - 1]) % 10007;
        before[n] = before[n].advance();
      }
      mine.arrive();
    }
  };
  finish([&] {
    for (std::uint32_t i = 0; i < tasks; ++i) {
      if (bound) async(on(worker(i % workers)), [&, i] { body(i); });
      else async([&, i] { body(i); });
    }
  });
  std::array<long, tasks> now{0, 1, 2, 3, 4};
  for (long t = 1; t < steps; ++t) {
    const auto last = now;
    for (std::uint32_t i = 0; i < tasks; ++i)
      now[i] = (last[i] + last[(i + 1) % tasks] + last[(i + tasks - 1) % tasks]) % 10007;
  }
  for (std::uint32_t i = 0; i < tasks; ++i) CHECK(value[i][steps - 1] == now[i]);
  for (const barrier& b : done) b.destroy();
}

}  // namespace

TEST_CASE("long-lived tasks keep step by waiting for phases of one another's barriers") {
  for (std::uint32_t workers : {1u, 2u, 3u})
    for (bool bound : {false, true})
      for (int round = 0; round < test::scaled(3, 200); ++round) {
        CAPTURE(workers);
        CAPTURE(bound);
        runtime rt({.workers = workers});
        rt.run([&] { run_ring(workers, bound); });
      }
}

TEST_CASE("long-lived tasks keep step in every order that a seed draws") {
  for (int seed = 1; seed <= test::scaled(10, 1000); ++seed) {
    runtime rt({.workers = 2, .seed = static_cast<std::uint64_t>(seed), .stepped = true});
    rt.run([&] { run_ring(2, seed % 2 == 1); });
  }
}

TEST_CASE("waiting for a phase that has happened makes no event, and for a poisoned one throws its cause") {
  for (std::uint32_t workers : {1u, 2u}) {
    runtime rt({.workers = workers});
    rt.run([] {
      const barrier b = barrier::create(1);
      const auto made = current_event_statistics().created;
      b.arrive();
      wait(b);
      CHECK(current_event_statistics().created == made);
      const auto failed = user_event::create();
      b.advance().arrive(failed);
      auto waiter = async([=] { wait(b.advance()); });
      failed.poison(std::make_exception_ptr(std::runtime_error("the pump stopped")));
      CHECK_THROWS_WITH(waiter.get(), doctest::Contains("the pump stopped"));
      CHECK_THROWS_WITH(wait(b.advance()), doctest::Contains("the pump stopped"));
      b.destroy();
    });
  }
}
