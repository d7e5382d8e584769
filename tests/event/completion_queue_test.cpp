#include <doctest/doctest.h>

#include <stretto/completion_queue.hpp>

#include <vector>

#include "event/event_world.hpp"

using namespace stretto;
using namespace stretto::testing;

TEST_CASE("a completion queue yields events in the order in which they ended") {
  lone_world world;
  const auto q = completion_queue::create();
  std::vector<user_event> users;
  for (int i = 0; i < 5; ++i) q.add(users.emplace_back(user_event::create()));
  CHECK(q.pop(10).empty());
  CHECK(q.size().pending == 5);
  for (int i : {3, 0, 4}) users[i].trigger();
  const auto two = q.pop(2);
  REQUIRE(two.size() == 2);
  CHECK(two[0].which == users[3]);
  CHECK(two[1].which == users[0]);
  users[1].trigger();
  users[2].trigger();
  const auto rest = q.pop(10);
  REQUIRE(rest.size() == 3);
  CHECK(rest[0].which == users[4]);
  CHECK(rest[2].which == users[2]);
  CHECK(q.size().ended + q.size().pending == 0);
}

TEST_CASE("a completion queue returns how events ended, even those that had ended before") {
  lone_world world;
  const auto q = completion_queue::create();
  const auto good = user_event::create(), bad = user_event::create();
  bad.poison(trouble("bad"));
  q.add(bad);
  q.add(good);
  q.add(event());
  q.add(good);
  good.trigger();
  const auto all = q.pop(10);
  REQUIRE(all.size() == 4);
  CHECK_FALSE(all[0].how.ok());
  CHECK(message_of([&] { all[0].how.rethrow(); }) == "bad");
  for (int i = 1; i < 4; ++i) CHECK(all[i].how.ok());
}

TEST_CASE("nonempty triggers when there is something to pop") {
  lone_world world;
  const auto q = completion_queue::create();
  const auto a = user_event::create(), b = user_event::create();
  q.add(a);
  q.add(b);
  const event something = q.nonempty();
  CHECK(q.nonempty() == something);
  CHECK_FALSE(something.has_triggered());
  a.trigger();
  CHECK(something.has_triggered());
  CHECK(q.nonempty() == event());
  q.pop(1);
  const event more = q.nonempty();
  CHECK_FALSE(more.has_triggered());
  b.poison(trouble("no"));
  CHECK(more.has_triggered());
  CHECK_FALSE(more.is_poisoned());
}

TEST_CASE("a completion queue may be released before its events end") {
  lone_world world;
  const auto a = user_event::create(), b = user_event::create();
  {
    const auto q = completion_queue::create();
    q.add(a);
    q.add(b);
    a.poison(trouble("nobody looks"));
  }
  b.trigger();
}

TEST_CASE("a completion queue is unbounded and recycles its records") {
  lone_world world;
  const auto q = completion_queue::create();
  std::size_t bytes = 0;
  for (int round = 0; round < 5; ++round) {
    std::vector<user_event> users;
    for (int i = 0; i < 20'000; ++i) q.add(users.emplace_back(user_event::create()));
    for (auto u : users) u.trigger();
    CHECK(q.pop(20'000).size() == 20'000);
    if (round == 1) bytes = current_event_statistics().bytes;
  }
  CHECK(current_event_statistics().bytes == bytes);
}
