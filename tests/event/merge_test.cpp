#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "event/event_world.hpp"

using namespace stretto;
using namespace stretto::testing;

namespace {

struct counted_job : completion {
  inline static int alive = 0;
  static void destroy(completion& c) noexcept { delete static_cast<counted_job*>(&c); }
  static std::string describe(const completion&) { return "a job"; }
  inline static const completion_kind kind{destroy, describe};
  counted_job() : completion(kind, 2) { ++alive; }  // the finisher's reference and the test's
  ~counted_job() { --alive; }
};

failure_ref some_failure(const std::string& words) {
  return detail::make_failure(trouble(words), "job", std::source_location::current());
}

}  // namespace

TEST_CASE("a merge of no events, or of triggered ones, is the default event") {
  lone_world world;
  CHECK(merge(std::span<const event>()) == event());
  CHECK(merge({event(), event()}) == event());
  const auto a = user_event::create();
  a.trigger();
  CHECK(merge(a, event()) == event());
  CHECK(current_event_statistics().created == 1);
}

TEST_CASE("a merge of one pending event is that event") {
  lone_world world;
  const auto a = user_event::create(), b = user_event::create();
  b.trigger();
  CHECK(merge({b, a, event()}) == static_cast<event>(a));
  a.trigger();
}

TEST_CASE("a merge triggers when its last input has, in any order of triggers") {
  lone_world world;
  for (int n : {2, 3, 4, 6, 7, 13, 100}) {
    for (int order = 0; order < 3; ++order) {
      std::vector<event> inputs;
      std::vector<user_event> users;
      for (int i = 0; i < n; ++i) inputs.push_back(users.emplace_back(user_event::create()));
      const event all = merge(inputs);
      for (int i = 0; i < n; ++i) {
        CHECK_FALSE(all.has_triggered());
        users[order == 0 ? i : order == 1 ? n - 1 - i : (i + n / 2) % n].trigger();
      }
      CHECK(all.has_triggered());
      CHECK_FALSE(all.is_poisoned());
    }
  }
  CHECK(current_event_statistics().untriggered == 0);
}

TEST_CASE("a merge is poisoned only when all have ended, with the first cause in input order") {
  lone_world world;
  for (int n : {2, 3, 7, 20}) {
    for (int first = 0; first < n; ++first) {
      std::vector<event> inputs;
      std::vector<user_event> users;
      for (int i = 0; i < n; ++i) inputs.push_back(users.emplace_back(user_event::create()));
      const event all = merge(inputs);
      for (int i = n - 1; i >= 0; --i) {
        CHECK_FALSE(all.has_triggered());
        if (i == first || i == n - 1) users[i].poison(trouble(std::to_string(i)));
        else users[i].trigger();
      }
      CHECK(words_of_cause(all) == std::to_string(first));
    }
  }
}

TEST_CASE("an input poisoned before the merge counts at its place") {
  lone_world world;
  const auto a = user_event::create(), b = user_event::create(), c = user_event::create();
  b.poison(trouble("b"));
  const event all = merge({a, b, c});
  CHECK_FALSE(all.has_triggered());
  c.poison(trouble("c"));
  a.trigger();
  CHECK(words_of_cause(all) == "b");
  CHECK(words_of_cause(merge({event(), c, b})) == "c");
}

TEST_CASE("the same event may be merged many times") {
  lone_world world;
  const auto a = user_event::create();
  const std::vector<event> same(50, a);
  const event all = merge(same);
  CHECK_FALSE(all.has_triggered());
  a.trigger();
  CHECK(all.has_triggered());
}

TEST_CASE("merging a thousand events again and again takes no more storage") {
  lone_world world;
  std::size_t bytes = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<event> inputs;
    std::vector<user_event> users;
    for (int i = 0; i < 1'000; ++i) inputs.push_back(users.emplace_back(user_event::create()));
    const event all = merge(inputs);
    for (auto u : users) u.trigger();
    CHECK(all.has_triggered());
    if (round == 1) bytes = current_event_statistics().bytes;
  }
  CHECK(current_event_statistics().bytes == bytes);
}

TEST_CASE("a merge of tasks holds them until it has seen their end") {
  lone_world world;
  for (int n : {2, 3, 9}) {
    std::vector<counted_job*> jobs;
    std::vector<dependency> inputs;
    for (int i = 0; i < n; ++i) inputs.emplace_back(*jobs.emplace_back(new counted_job));
    const event all = merge_dependencies(inputs);
    for (int i = 0; i < n; ++i) {
      CHECK_FALSE(all.has_triggered());
      jobs[i]->complete(i == 1 ? some_failure("job 1") : failure_ref(), world.context);
      jobs[i]->release();
    }
    CHECK(words_of_cause(all) == "job 1");
    CHECK(counted_job::alive == 0);
  }
}

TEST_CASE("a merge that throws half-way releases its tasks") {
  lone_world world(1);
  event foreign;
  {
    lone_world abroad(2);
    foreign = user_event::create();
  }
  auto* j = new counted_job;
  std::vector<dependency> inputs(12, dependency(*j));
  inputs.emplace_back(foreign);
  CHECK_THROWS(merge_dependencies(inputs));
  CHECK(j->references() == 2);
  j->release();
  j->release();
  CHECK(counted_job::alive == 0);
}

TEST_CASE("a task's event is made on request and ends as the task does") {
  lone_world world;
  const auto here = std::source_location::current();
  auto *done = new counted_job, *good = new counted_job, *bad = new counted_job;
  done->complete({}, world.context);
  CHECK(detail::event_of(*done, world.context, here) == event());
  const event g = detail::event_of(*good, world.context, here), b = detail::event_of(*bad, world.context, here);
  const event one = merge_dependencies(std::vector<dependency>{dependency(*done), dependency(*good)});
  CHECK_FALSE(g.has_triggered());
  good->complete({}, world.context);
  bad->complete(some_failure("bad job"), world.context);
  CHECK(g.has_triggered());
  CHECK(one.has_triggered());
  CHECK(words_of_cause(b) == "bad job");
  CHECK(words_of_cause(detail::event_of(*bad, world.context, here)) == "bad job");
  for (auto* j : {done, good, bad}) j->release();
  CHECK(words_of_cause(b) == "bad job");
}

TEST_CASE("a failure stays readable if its owner is destroyed while the firing of its list is deferred") {
  lone_world world;
  // The outer trigger fires a waiter that completes a poisoned job and releases it at once.
  static counted_job* doomed;
  doomed = new counted_job;
  const event seen = detail::event_of(*doomed, world.context, std::source_location::current());
  waiter w;
  w.fire = [](waiter&, const failure*, base::thread_context& context) noexcept {
    doomed->complete(some_failure("short-lived"), context);
    doomed->release();
  };
  const auto start = user_event::create();
  CHECK(detail::subscribe(start, w, world.context));
  start.trigger();
  CHECK(words_of_cause(seen) == "short-lived");
  CHECK(counted_job::alive == 0);
}
