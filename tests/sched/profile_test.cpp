#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

#include "campaign.hpp"
#include "sched/with_runtimes.hpp"

using namespace stretto;
using test::with_runtimes;

namespace {

void check_order(const operation_profile& p) {
  CHECK(p.created <= p.ready);
  CHECK(p.ready <= p.started);
  CHECK(p.started <= p.ended);
  CHECK(p.suspended >= operation_profile::clock::duration::zero());
  CHECK(p.suspended <= p.ended - p.started);
  CHECK((p.result == outcome::succeeded) == !p.why);
}

/// Its first line.
std::string text_of(const std::exception_ptr& why) {
  try {
    std::rethrow_exception(why);
  } catch (const error& e) {
    return e.code() + ": " + e.sentence();
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("a task's profile says when it was created, ready, started and ended, and where") {
  with_runtimes([] {
    const auto before = operation_profile::clock::now();
    const auto gate = user_event::create();
    future<operation_profile> p;
    const auto f = async(after(gate), name("work"), profile(p), [] { return this_worker(); });
    REQUIRE(p.valid());
    CHECK_FALSE(p.is_ready());
    const auto triggered = operation_profile::clock::now();
    gate.trigger();
    const std::uint32_t ran_on = f.get();
    const operation_profile seen = p.get();
    check_order(seen);
    CHECK(seen.operation == "task \"work\"");
    CHECK(std::string(seen.where.file_name()).ends_with("profile_test.cpp"));
    CHECK(seen.created >= before);
    CHECK(seen.created <= triggered);
    CHECK(seen.ready >= triggered);
    CHECK(seen.ended <= operation_profile::clock::now());
    CHECK(seen.worker == ran_on);
    CHECK(seen.last_worker == ran_on);
    CHECK(seen.result == outcome::succeeded);
    CHECK(seen.suspensions == 0);
    CHECK(seen.running() == seen.ended - seen.started);
    CHECK(seen.waited() + seen.queued() + seen.running() == seen.ended - seen.created);
  });
}

TEST_CASE("suspensions are counted and their time is taken out of the running time") {
  with_runtimes([] {
    const auto first = user_event::create(), second = user_event::create();
    operation_profile::clock::time_point left, back;
    future<operation_profile> p;
    const auto f = async(profile(p), [&, first, second] {
      left = operation_profile::clock::now();
      wait(first);
      wait(second);
      back = operation_profile::clock::now();
    });
    async([=] {
      first.trigger();
      async(after(async([] {})), [=] { second.trigger(); });
    });
    f.get();
    const operation_profile seen = p.get();
    check_order(seen);
    // It may find an event triggered already, if it started late.
    CHECK(seen.suspensions <= 2);
    CHECK((seen.suspensions == 0) == (seen.suspended == operation_profile::clock::duration::zero()));
    CHECK(seen.suspended <= back - left);
    CHECK(seen.started <= left);
    CHECK(seen.ended >= back);
  });
}

TEST_CASE("a task that waits for an event triggered only afterwards is suspended exactly once") {
  runtime rt({.workers = 2});
  const attached_thread here(rt);
  const auto gate = user_event::create();
  std::atomic<bool> waits{false};
  future<operation_profile> p;
  const auto f = async(profile(p), [&] {
    waits = true;
    wait(gate);
  });
  while (!waits || rt.statistics().workers[0].suspensions + rt.statistics().workers[1].suspensions == 0)
    std::this_thread::yield();
  gate.trigger();
  f.get();
  CHECK(p.get().suspensions == 1);
  CHECK(p.get().suspended.count() > 0);
}

TEST_CASE("a failed task's profile carries the exception, a skipped one's the chain") {
  with_runtimes([] {
    future<operation_profile> failed, skipped;
    const auto a = async(name("a"), profile(failed), [] { throw std::runtime_error("broke"); });
    const auto b = async(after(a), name("b"), profile(skipped), [] {});
    CHECK_THROWS_AS(b.get(), poisoned);
    check_order(failed.get());
    CHECK(failed.get().result == outcome::failed);
    CHECK(text_of(failed.get().why) == "broke");
    const operation_profile seen = skipped.get();
    check_order(seen);
    CHECK(seen.result == outcome::skipped);
    CHECK(seen.ready == seen.started);
    CHECK(seen.started == seen.ended);
    CHECK(text_of(seen.why) == "E10: task \"b\" was skipped because task \"a\" failed");
  });
}

TEST_CASE("asking for a profile does not count as observing the failure") {
  runtime rt({.workers = 1});
  CHECK_THROWS_WITH(rt.run([] {
    future<operation_profile> p;
    async(profile(p), [] { throw std::runtime_error("unseen"); });
    finish([&] { async(after(p), [] {}); });
    CHECK(p.get().result == outcome::failed);
  }),
                    "unseen");
}

TEST_CASE("a profile is a future like any other: others come after it, whatever becomes of the operation") {
  with_runtimes([] {
    std::atomic<int> reported{0};
    finish([&] {
      for (int i = 0; i < 20; ++i) {
        future<operation_profile> p;
        auto f = async(profile(p), [i] {
          if (i % 2) throw std::runtime_error("odd");
        });
        async(after(p), [&, p, f, i] {
          CHECK((p.get().result == outcome::failed) == (i % 2 == 1));
          if (i % 2) CHECK_THROWS(f.get());
          ++reported;
        });
      }
    });
    CHECK(reported == 20);
  });
}

TEST_CASE("tasks of every size and number of preconditions can be profiled, and their results are unharmed") {
  with_runtimes([] {
    std::vector<event> gates;
    for (int n : {0, 1, 3, 254, 255, 300}) {
      std::vector<user_event> mine;
      std::vector<event> list;
      for (int i = 0; i < n; ++i) {
        mine.push_back(user_event::create());
        list.push_back(mine.back());
      }
      future<operation_profile> small, large;
      const auto s = async(after(list), profile(small), [n] { return std::to_string(n); });
      const std::array<char, 5000> big{'x'};
      const auto l = async(after(list), profile(large), priority(1), [big] { return big; });
      for (const user_event& e : mine) e.trigger();
      CHECK(s.get() == std::to_string(n));
      CHECK(l.get()[0] == 'x');
      check_order(small.get());
      check_order(large.get());
    }
  });
}

TEST_CASE("a call that is refused leaves no profile behind that would never be ready") {
  runtime rt({.workers = 1});
  rt.run([] {
    future<operation_profile> p;
    CHECK_THROWS_AS(async(priority(1000), profile(p), [] {}), error);
    CHECK_FALSE(p.valid());
    struct throws_on_copy {
      throws_on_copy() = default;
      throws_on_copy(const throws_on_copy&) { throw std::runtime_error("copied"); }
      void operator()() const {}
    };
    const throws_on_copy body;
    CHECK_THROWS_WITH(async(profile(p), body), "copied");
    CHECK(p.is_poisoned());
  });
}

TEST_CASE("the replay of a graph has a profile too") {
  with_runtimes([] {
    recorded_graph<bool> g(name("g"));
    g.add([](bool fails) {
      if (fails) throw std::runtime_error("broke");
    });
    const auto gate = user_event::create();
    future<operation_profile> p, failed;
    wait(g.replay(false, profile(p)));
    const event second = g.replay(true, {after(gate), profile(failed)});
    gate.trigger();
    CHECK_THROWS(wait(second));
    check_order(p.get());
    check_order(failed.get());
    CHECK(p.get().operation == "replay of graph \"g\"");
    CHECK(p.get().result == outcome::succeeded);
    CHECK(failed.get().result == outcome::failed);
  });
}

TEST_CASE("profiles of many tasks at once, from all workers") {
  for (int round = 0; round < test::scaled(5, 500); ++round)
    with_runtimes([] {
      std::vector<future<operation_profile>> profiles(200);
      finish([&] {
        for (auto& p : profiles)
          async(profile(p), [] {
            if (async([] { return 1; }).get() != 1) yield();
            yield();
          });
      });
      for (auto& p : profiles) check_order(p.get());
    });
}
