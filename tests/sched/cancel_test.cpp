// Tasks that are cancelled: one fact at a time, then random programs, stepped and threaded.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <stretto/stretto.hpp>

#include "campaign.hpp"
#include "eventually.hpp"
#include "sched/with_runtimes.hpp"
#include "thrown_by.hpp"

using namespace stretto;

namespace {

std::string failure_code(const future<int>& f) {
  return test::error_of([&] { f.get(); }).code();
}

}  // namespace

TEST_CASE("a task that waits for something is cancelled, and its future says so at once") {
  test::with_runtimes([] {
    const auto gate = user_event::create();
    std::atomic<int> runs{0};
    const auto f = async(after(gate), name("guess"), [&] { return ++runs; });
    CHECK(cancel(f));
    CHECK(f.is_ready());
    CHECK(f.is_poisoned());
    CHECK(failure_code(f) == "S18");
    CHECK(test::words_of(f).starts_with("error S18: task \"guess\" was cancelled before it began\n"));
    CHECK_FALSE(cancel(f));
    gate.trigger();
    wait(async([] {}));
    CHECK(runs == 0);
  });
}

TEST_CASE("a task that is ready and has not begun is cancelled") {
  runtime rt({.workers = 1});
  rt.run([] {
    int runs = 0;
    const auto f = async([&] { return ++runs; });
    const auto bound = async(on(worker(0)), [&] { return ++runs; });
    const auto urgent = async(priority(5), [&] { return ++runs; });
    CHECK(cancel(f));
    CHECK(cancel(bound));
    CHECK(cancel(urgent));
    async([&] { runs += 10; }).get();
    yield();
    CHECK(runs == 10);
    for (const auto* one : {&f, &bound, &urgent}) CHECK(failure_code(*one) == "S18");
  });
}

TEST_CASE("a task that runs, has ended, was skipped or is not the program's is not cancelled") {
  test::with_runtimes([] {
    const auto begun = user_event::create(), go_on = user_event::create();
    const auto runs = async([=] {
      begun.trigger();
      wait(go_on);
      return 7;
    });
    wait(begun);
    CHECK_FALSE(cancel(runs));
    go_on.trigger();
    CHECK(runs.get() == 7);
    CHECK_FALSE(cancel(runs));
    const auto failed = async([]() -> int { throw std::runtime_error("no ink"); });
    CHECK_THROWS_WITH(failed.get(), "no ink");
    const auto skipped = async(after(failed), [] { return 1; });
    CHECK_THROWS_AS(skipped.get(), poisoned);
    CHECK_FALSE(cancel(skipped));
    promise<int> p;
    const auto promised = p.get_future();
    CHECK_FALSE(cancel(promised));
    p.set(3);
    CHECK(promised.get() == 3);
    CHECK(test::error_of([] { cancel(future<int>()); }).code() == "E13");
  });
}

TEST_CASE("a task cannot cancel itself") {
  test::with_runtimes([] {
    const auto self = std::make_shared<promise<future<int>>>();
    const auto mine = self->get_future();
    const auto f = async([mine] { return cancel(mine.get()) ? 1 : 2; });
    self->set(f);
    CHECK(f.get() == 2);
  });
}

TEST_CASE("dependents of a cancelled task fail as for any precondition, and those that ignore failures go on") {
  test::with_runtimes([] {
    const auto gate = user_event::create();
    const auto first = async(after(gate), [] { return 1; });
    const event end = first;
    const auto second = async(after(first), [] { return 2; });
    const auto third = async(after(ignore_failure(end)), [] { return 3; });
    CHECK(cancel(first));
    CHECK(end.is_poisoned());
    CHECK_THROWS_WITH_AS(second.get(), doctest::Contains("was cancelled before it began"), poisoned);
    CHECK(third.get() == 3);
    gate.trigger();
  });
}

TEST_CASE("a finish is over without the tasks that were cancelled in it, and does not throw their failure") {
  test::with_runtimes([] {
    const auto gate = user_event::create();
    int runs = 0;
    finish([&] {
      const auto f = async(after(gate), [&] { ++runs; });
      CHECK(cancel(f));
    });
    CHECK(runs == 0);
    CHECK_FALSE(gate.has_triggered());
    gate.trigger();
  });
}

TEST_CASE("a finish throws the failure of what depends on a cancelled task") {
  test::with_runtimes([] {
    const auto gate = user_event::create();
    CHECK_THROWS_WITH(finish([&] {
                        const auto f = async(after(gate), [] {});
                        async(after(f), [] {});
                        cancel(f);
                      }),
                      doctest::Contains("was cancelled before it began"));
    gate.trigger();
  });
}

TEST_CASE("the body of a cancelled task is destroyed before cancel returns, and its result never") {
  test::with_runtimes([] {
    const auto gate = user_event::create();
    const auto held = std::make_shared<int>(1);
    const auto f = async(after(gate), [held] { return held; });
    CHECK(held.use_count() == 2);
    CHECK(cancel(f));
    CHECK(held.use_count() == 1);
    gate.trigger();
    wait(async([] {}));
    CHECK(held.use_count() == 1);
  });
}

TEST_CASE("the events that a cancelled task waited for may never trigger") {
  test::with_runtimes([] {
    const auto never = user_event::create();
    const auto f = async(after(never), [] { return 1; });
    const auto g = async(after(f, never), [] { return 1; });
    CHECK(cancel(g));
    CHECK(cancel(f));
  });
}

TEST_CASE("a task with many preconditions, a large body or a profile is cancelled as others are") {
  test::with_runtimes([] {
    std::vector<user_event> gates;
    for (int i = 0; i < 300; ++i) gates.push_back(user_event::create());
    for (const std::size_t n : {1u, 2u, 252u, 253u, 254u, 255u, 300u}) {
      CAPTURE(n);
      const std::vector<event> some(gates.begin(), gates.begin() + static_cast<std::ptrdiff_t>(n));
      const std::vector<int> large(1000, 1);
      struct big {
        std::array<char, 5000> bytes{};
      };
      future<operation_profile> p;
      const auto body = [large, b = big()] { return int(large.size()) + b.bytes[0]; };
      const auto f = async(after(std::span(some)), profile(p), body);
      const auto runs = async(after(std::span(some)), [] { return 5; });
      CHECK(cancel(f));
      CHECK(p.get().result == outcome::skipped);
      if (n == 300) {
        for (const auto& g : gates) g.trigger();
        CHECK(runs.get() == 5);
      } else {
        CHECK(cancel(runs));
      }
    }
  });
}

TEST_CASE("when_all and forasync are cancelled like tasks, and their preconditions go on") {
  test::with_runtimes([] {
    const auto gate = user_event::create();
    const auto f = async(after(gate), [] { return 1; }), g = async(after(gate), [] { return 2; });
    const auto both = when_all(f, g);
    CHECK(cancel(both));
    CHECK(both.is_poisoned());
    gate.trigger();
    CHECK(f.get() + g.get() == 3);
  });
}

TEST_CASE("a copy follows a task that can be cancelled") {
  runtime rt({.workers = 2});
  rt.run([] {
    std::vector<int> from(1000, 1), to(1000, 0);
    const auto ready = user_event::create();
    const auto go = async(after(ready), [] {});
    const event there = async_copy(place{}, to.data(), place{}, from.data(), 4000, after(go));
    CHECK(cancel(go));
    CHECK_THROWS_WITH(wait(there), doctest::Contains("was cancelled before it began"));
    CHECK(to == std::vector<int>(1000, 0));
    ready.trigger();
  });
}

TEST_CASE("in any order of steps each task either runs or is cancelled, and its dependents follow") {
  const int seeds = test::scaled_of_one_thread(100, 5'000);
  for (int seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    runtime rt({.workers = 1 + static_cast<std::uint32_t>(random() % 3), .seed = std::uint64_t(seed), .stepped = true});
    struct one {
      future<int> f;
      int runs = 0;
      bool is_cancelled = false;
    };
    std::vector<one> all(40);
    rt.run([&] {
      std::vector<user_event> gates;
      for (int i = 0; i < 4; ++i) gates.push_back(user_event::create());
      std::vector<std::pair<int, int>> follows;  // a task, and the task that it follows
      for (int i = 0; i < int(all.size()); ++i) {
        one& o = all[std::size_t(i)];
        const auto body = [&o, i] {
          if (o.runs == 0 && i % 3 == 0) yield();
          return ++o.runs;
        };
        switch (random() % 5) {
          case 0: o.f = async(body); break;
          case 1:
            o.f = async(priority(int(random() % 5) - 2), on(worker(std::uint32_t(random()) % rt.workers())), body);
            break;
          case 2: o.f = async(after(gates[random() % 4]), body); break;
          case 3: o.f = async(after(gates[random() % 4], gates[random() % 4]), body); break;
          default:
            if (i == 0) {
              o.f = async(body);
            } else {
              const int before = int(random() % std::uint64_t(i));
              o.f = async(after(all[std::size_t(before)].f, gates[random() % 4]), body);
              follows.emplace_back(i, before);
            }
        }
        if (random() % 2) {
          one& other = all[random() % std::uint64_t(i + 1)];
          if (cancel(other.f)) other.is_cancelled = true;
        }
        if (random() % 3 == 0) yield();
      }
      std::vector<future<void>> cancels;
      for (int i = 0; i < 10; ++i)
        cancels.push_back(async([&, which = random() % all.size()] {
          if (cancel(all[which].f)) CHECK_FALSE(std::exchange(all[which].is_cancelled, true));
        }));
      for (const auto& g : gates) g.trigger();
      for (const auto& c : cancels) c.get();
      for (one& o : all) try {
          o.f.get();
        } catch (const error&) {
        }
      for (const auto& [i, before] : follows)
        if (all[std::size_t(before)].f.is_poisoned()) CHECK(all[std::size_t(i)].f.is_poisoned());
      for (const one& o : all) {
        if (o.is_cancelled) CHECK(failure_code(o.f) == "S18");
        CHECK(o.runs == (o.f.is_poisoned() ? 0 : 1));
      }
      for (one& o : all) o.f = {};
    });
  }
}

TEST_CASE("if one thread begins a task and another cancels it, exactly one succeeds") {
  const int rounds = test::scaled(300, 20'000);
  for (const std::uint32_t workers : {2u, 4u}) {
    runtime rt({.workers = workers});
    std::uint64_t cancelled = 0;
    rt.run([&] {
      const auto one_round = [&] {
        constexpr int count = 12;
        std::array<std::atomic<int>, count> runs{};
        std::array<std::atomic<int>, count> yes{};
        std::vector<future<int>> all;
        const auto gate = user_event::create(), bad = user_event::create();
        const auto held = std::make_shared<int>(0);
        for (int i = 0; i < count; ++i) {
          const auto body = [&runs, i, held] { return ++runs[std::size_t(i)]; };
          all.push_back(i % 4 == 0   ? async(body)
                        : i % 4 == 1 ? async(after(gate), body)
                        : i % 4 == 2 ? async(after(gate, bad), body)
                                     : async(priority(i % 3), body));
        }
        finish([&] {
          for (std::uint32_t c = 0; c < 2; ++c)
            async([&, c] {
              for (int k = 0; k < count; ++k)
                if (const auto i = std::size_t(c ? k : count - 1 - k); cancel(all[i])) ++yes[i];
            });
          async([&] { gate.trigger(); });
          async([&] { bad.poison(std::make_exception_ptr(std::runtime_error("no"))); });
          for (int i = 0; i < count; ++i)
            if (i % 2)
              async([f = all[std::size_t(i)]] {
                try {
                  f.get();
                } catch (const error&) {
                }
              });
        });
        for (std::size_t i = 0; i < count; ++i) {
          REQUIRE(yes[i] <= 1);
          try {
            all[i].get();
            REQUIRE(runs[i] == 1);
            REQUIRE(yes[i] == 0);
          } catch (const error& e) {
            REQUIRE(runs[i] == 0);
            REQUIRE((e.code() == "S18") == (yes[i] == 1));
          }
          cancelled += std::uint64_t(yes[i]);
        }
        all.clear();
      };
      for (int round = 0; round < rounds; ++round) one_round();
      CHECK(test::eventually([&] { return cancelled > 0; }, one_round));
    });
  }
}
