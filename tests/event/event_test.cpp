#include <doctest/doctest.h>

#include <stretto/event.hpp>

#include <stdexcept>
#include <vector>

#include "event/event_world.hpp"

using namespace stretto;
using namespace stretto::testing;

TEST_CASE("the default event has always happened, on any thread") {
  CHECK(event().has_triggered());
  CHECK_FALSE(event().is_poisoned());
  CHECK(event().result().ok());
  CHECK(to_string(event()) == "E-");
}

TEST_CASE("a user event has happened once it is triggered") {
  lone_world world;
  const auto e = user_event::create();
  CHECK_FALSE(e.has_triggered());
  e.trigger();
  CHECK(e.has_triggered());
  CHECK_FALSE(e.is_poisoned());
}

TEST_CASE("a poisoned event has ended and has a cause") {
  lone_world world;
  const auto e = user_event::create();
  CHECK(e.result().ok());
  e.poison(trouble("disk on fire"));
  CHECK(e.has_triggered());
  CHECK(e.is_poisoned());
  CHECK_THROWS_AS(e.result().rethrow(), std::runtime_error);
  CHECK(words_of_cause(e) == "disk on fire");
}

TEST_CASE("a handle prints its node, slot and generation") {
  lone_world world(7);
  const auto e = user_event::create();
  CHECK(to_string(e) == "N7:E0.1");
  e.trigger();
}

TEST_CASE("a slot is reused once its event has triggered, and old handles stay triggered") {
  lone_world world;
  std::vector<user_event> old;
  for (int i = 0; i < 10'000; ++i) {
    old.push_back(user_event::create());
    old.back().trigger();
  }
  for (auto e : old) CHECK(e.has_triggered());
  const auto n = current_event_statistics();
  CHECK(n.created == 10'000);
  CHECK(n.untriggered == 0);
  CHECK(n.slots == 64);
}

TEST_CASE("storage follows the peak of untriggered events") {
  lone_world world;
  for (int round = 0; round < 20; ++round) {
    std::vector<user_event> batch;
    for (int i = 0; i < 5'000; ++i) batch.push_back(user_event::create());
    CHECK(current_event_statistics().untriggered == 5'000);
    for (auto e : batch) e.trigger();
  }
  const auto n = current_event_statistics();
  CHECK(n.created == 100'000);
  CHECK(n.slots <= 5'000 + 3 * 64);
  CHECK(n.bytes < 1 << 20);
}

TEST_CASE("a slot whose generations are used up is retired, and its handles stay valid") {
  lone_world world;
  const auto first = user_event::create();
  const auto poisoned = user_event::create();
  poisoned.poison(trouble("early"));
  auto e = first;
  constexpr int events = 2 * (1 << 21);
  e.trigger();
  for (int i = 0; i < events; ++i) user_event::create().trigger();
  CHECK(first.has_triggered());
  CHECK(poisoned.is_poisoned());
  const auto n = current_event_statistics();
  CHECK(n.retired == 2);
  CHECK(n.untriggered == 0);
}

TEST_CASE("a slot remembers each poisoned generation and retires after sixteen") {
  lone_world world;
  std::vector<user_event> ended;
  for (int i = 0; i < 200; ++i) {
    ended.push_back(user_event::create());
    if (i % 3) ended.back().trigger();
    else ended.back().poison(trouble(std::to_string(i)));
  }
  for (int i = 0; i < 200; ++i) CHECK(words_of_cause(ended[i]) == (i % 3 ? "" : std::to_string(i)));
  CHECK(current_event_statistics().retired == 67 / 16);
}

TEST_CASE("a deferred trigger follows its precondition, success or failure") {
  lone_world world;
  const auto a = user_event::create(), b = user_event::create(), c = user_event::create();
  b.trigger(a);
  c.trigger(b);
  CHECK_FALSE(c.has_triggered());
  a.trigger();
  CHECK(c.has_triggered());

  const auto d = user_event::create(), e = user_event::create();
  e.trigger(d);
  d.poison(trouble("no"));
  CHECK(words_of_cause(e) == "no");

  const auto late = user_event::create();
  late.trigger(d);
  CHECK(words_of_cause(late) == "no");
  const auto at_once = user_event::create();
  at_once.trigger(event());
  CHECK(at_once.has_triggered());
}

namespace {
/// The last of a million events, each triggered by the one before, the first by `head`.
user_event end_of_chain(user_event head) {
  for (int i = 0; i < 1'000'000; ++i) {
    const auto next = user_event::create();
    next.trigger(head);
    head = next;
  }
  return head;
}
}  // namespace

TEST_CASE("a chain of a million events triggers on a constant stack") {
  lone_world world;
  const auto head = user_event::create();
  const auto last = end_of_chain(head);
  head.trigger();
  CHECK(last.has_triggered());
  CHECK(current_event_statistics().untriggered == 0);
}

TEST_CASE("a chain of a million events carries poison to its end") {
  lone_world world;
  const auto head = user_event::create();
  const auto last = end_of_chain(head);
  head.poison(trouble("root"));
  CHECK(words_of_cause(last) == "root");
}

TEST_CASE("ignore_failure triggers when its event is poisoned") {
  lone_world world;
  const auto a = user_event::create();
  const auto kept = ignore_failure(a);
  CHECK_FALSE(kept.has_triggered());
  a.poison(trouble("no"));
  CHECK(kept.has_triggered());
  CHECK_FALSE(kept.is_poisoned());
  CHECK(ignore_failure(a) == event());
  CHECK(ignore_failure(event()) == event());
}

TEST_CASE("triggering twice names both places") {
  lone_world world;
  const std::string made = line_after();
  const auto e = user_event::create();
  e.trigger();
  std::string again;
  const auto text = message_of([&] {
    again = line_after();
    e.trigger();
  });
  CHECK(text ==
        "error E01: E0.1 was triggered a second time\n"
        "  created     " +
            made +
            "\n"
            "  triggered   " +
            again +
            "\n"
            "  because     an event triggers or is poisoned at most once\n"
            "  try         give each event one owner that triggers it");
}

TEST_CASE("a second trigger after the slot served again does not name another event's creation") {
  lone_world world;
  const auto e = user_event::create();
  e.trigger();
  const auto other = user_event::create();
  std::string again;
  const auto text = message_of([&] {
    again = line_after();
    e.poison(trouble(""));
  });
  CHECK(text ==
        "error E01: E0.1 was triggered a second time\n"
        "  triggered   " +
            again +
            "\n"
            "  because     an event triggers or is poisoned at most once\n"
            "  try         give each event one owner that triggers it");
  CHECK_FALSE(other.has_triggered());
}

TEST_CASE("an event with a deferred trigger cannot be triggered by the program") {
  lone_world world;
  const auto a = user_event::create();
  const std::string made = line_after();
  const auto b = user_event::create();
  b.trigger(a);
  std::string again;
  const auto text = message_of([&] {
    again = line_after();
    b.trigger();
  });
  CHECK(text ==
        "error E01: E1.1 was triggered although a deferred trigger is pending\n"
        "  created     " +
            made +
            "\n"
            "  triggered   " +
            again +
            "\n"
            "  because     an event triggers or is poisoned at most once\n"
            "  try         give each event one owner that triggers it");
  CHECK(message_of([&] { b.trigger(a); }) != "");
  CHECK_FALSE(b.has_triggered());
  a.trigger();
  CHECK(b.has_triggered());
}

TEST_CASE("the default user event cannot be triggered") {
  lone_world world;
  std::string where;
  const auto text = message_of([&] {
    where = line_after();
    user_event().trigger();
  });
  CHECK(text ==
        "error E04: the default event was triggered\n"
        "  triggered   " +
            where +
            "\n"
            "  because     a user_event made without create() is the default event, which has always triggered\n"
            "  try         make it with user_event::create()");
  CHECK(message_of([&] { user_event().trigger(user_event::create()); }).starts_with("error E04"));
}

TEST_CASE("an event of another runtime is refused as foreign") {
  lone_world home(3);
  event foreign;
  {
    lone_world abroad(5);
    foreign = user_event::create();
  }
  const std::string text =
      "error E03: N5:E0.1 belongs to another runtime\n"
      "  its node    5\n"
      "  this node   3\n"
      "  because     independent runtimes of one process share no events\n"
      "  try         use an event on the runtime that made it, or wait for it there";
  CHECK(message_of([&] { foreign.has_triggered(); }) == text);
  CHECK(message_of([&] { foreign.is_poisoned(); }) == text);
  CHECK(message_of([&] { static_cast<user_event&>(foreign).trigger(); }) == text);
  const auto mine = user_event::create();
  CHECK(message_of([&] { mine.trigger(foreign); }) == text);
  CHECK(message_of([&] { merge(mine, foreign); }) == text);
  const std::vector<event> many{mine, mine, mine, mine, mine, mine, mine, mine, foreign};
  CHECK(message_of([&] { merge(many); }) == text);
  mine.trigger();  // nothing above has claimed it
  CHECK(current_event_statistics().untriggered == 0);
}

TEST_CASE("events need a thread that belongs to a runtime") {
  CHECK(message_of([] { user_event::create(); }) ==
        "error B20: \"user_event::create\" was called on a thread that belongs to no runtime\n"
        "  because     only a runtime's own threads and threads attached to it may use its handles\n"
        "  try         call it inside runtime::run, or hold a stretto::attached_thread on this thread");
}
