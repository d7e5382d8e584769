#include <doctest/doctest.h>

#include <stretto/barrier.hpp>

#include <vector>

#include "event/event_world.hpp"

using namespace stretto;
using namespace stretto::testing;

namespace {

struct sum {
  using value_type = long;
  static long identity() { return 0; }
  static void apply(long& into, const long& value) { into += value; }
};

struct wide {  // larger than what fits in a deferred arrival's record
  long parts[32];
};
struct widest {
  using value_type = wide;
  static wide identity() { return {}; }
  static void apply(wide& into, const wide& value) {
    for (int i = 0; i < 32; ++i) into.parts[i] = std::max(into.parts[i], value.parts[i]);
  }
};

}  // namespace

TEST_CASE("a phase triggers when its arrivals are complete, and the next one expects as many again") {
  lone_world world;
  barrier b = barrier::create(3);
  for (int phase = 0; phase < 4; ++phase) {
    CHECK_FALSE(b.has_triggered());
    b.arrive();
    b.arrive();
    CHECK_FALSE(b.has_triggered());
    b.arrive();
    CHECK(b.has_triggered());
    CHECK(b.event() == event());
    b = b.advance();
  }
  b.arrive(3);
  CHECK(b.has_triggered());
  CHECK(b.phase() == 4);
  CHECK(current_event_statistics().created == 0);
}

TEST_CASE("a phase's event is made once, on request, and happens with the phase") {
  lone_world world;
  const barrier b = barrier::create(1), later = b.advance();
  const event e = b.event(), l = later;
  CHECK(b.event() == e);
  CHECK(later.event() == l);
  b.arrive();
  CHECK(e.has_triggered());
  CHECK_FALSE(l.has_triggered());
  later.arrive();
  CHECK(l.has_triggered());
  CHECK(current_event_statistics().created == 2);
}

TEST_CASE("arrivals may come ahead of their phase, in any order") {
  lone_world world;
  const barrier p0 = barrier::create(2), p1 = p0.advance(), p2 = p1.advance(), p3 = p2.advance();
  p2.arrive(2);
  p1.arrive();
  const event e3 = p3.event();
  p3.arrive();
  p0.arrive();
  CHECK_FALSE(p0.has_triggered());
  p0.arrive();
  CHECK(p0.has_triggered());
  CHECK_FALSE(p1.has_triggered());
  p1.arrive();
  CHECK(p1.has_triggered());
  CHECK(p2.has_triggered());
  CHECK_FALSE(e3.has_triggered());
  p3.arrive();
  CHECK(e3.has_triggered());
}

TEST_CASE("an arrival may wait for an event, or for several") {
  lone_world world;
  const barrier b = barrier::create(3);
  const auto a = user_event::create(), c = user_event::create(), d = user_event::create();
  b.arrive(a);
  b.arrive(after(c, d), 2);
  a.trigger();
  d.trigger();
  CHECK_FALSE(b.has_triggered());
  c.trigger();
  CHECK(b.has_triggered());
  const barrier next = b.advance();
  next.arrive(a, 3);
  CHECK(next.has_triggered());
}

TEST_CASE("a poisoned arrival counts and poisons its phase only") {
  lone_world world;
  const barrier p0 = barrier::create(2), p1 = p0.advance(), p2 = p1.advance();
  const event e0 = p0.event(), e1 = p1.event();
  const auto bad = user_event::create(), bad_later = user_event::create();
  p0.arrive(bad);
  p2.arrive(bad_later);
  p0.arrive();
  bad.poison(trouble("bad"));
  bad_later.poison(trouble("later"));
  CHECK(words_of_cause(e0) == "bad");
  p1.arrive(2);
  CHECK(e1.has_triggered());
  CHECK_FALSE(e1.is_poisoned());
  p2.arrive();
  CHECK(p2.has_triggered());
  CHECK(words_of_cause(p2.event()) == "later");  // requested afterwards
  CHECK(p2.event() == p2.event());
  CHECK(words_of_cause(p0.event()) == "bad");
  CHECK(p1.event() == event());
}

TEST_CASE("the arrivals expected can be altered for a phase and all later ones, ahead of time") {
  lone_world world;
  const barrier p0 = barrier::create(2), p1 = p0.advance(), p2 = p1.advance(), p3 = p2.advance();
  p2.alter_arrival_count(+2);
  p0.alter_arrival_count(-1);
  p3.alter_arrival_count(-3);  // none expected any more
  p0.arrive();
  CHECK(p0.has_triggered());
  p1.arrive();
  CHECK(p1.has_triggered());
  p2.arrive(2);
  CHECK_FALSE(p2.has_triggered());
  p2.arrive();
  CHECK(p2.has_triggered());
  CHECK_FALSE(p3.has_triggered());
  p3.alter_arrival_count(+1);
  p3.arrive();
  CHECK(p3.has_triggered());
  p3.advance().alter_arrival_count(+1);
  p3.advance().arrive();
  CHECK_FALSE(p3.advance().has_triggered());
  p3.advance().alter_arrival_count(-1);  // the last one expected goes: the phase happens
  CHECK(p3.advance().has_triggered());
}

TEST_CASE("a barrier reduces the values of its arrivals and keeps eight phases") {
  lone_world world;
  auto b = reducing_barrier<sum>::create(3);
  const auto first = b;
  for (long phase = 0; phase < 40; ++phase) {
    CHECK_FALSE(b.result().has_value());
    b.advance().arrive_with(1000 * phase);
    b.arrive_with(1 + phase);
    b.arrive();
    if (phase == 0) b.arrive_with(-1);
    CHECK(b.result() == (phase ? 1 + phase + 1000 * (phase - 1) : 0));
    b = b.advance();
  }
  CHECK_THROWS(first.result());
}

TEST_CASE("values may come far ahead of their phase and with preconditions") {
  lone_world world;
  const auto b = reducing_barrier<sum>::create(1);
  std::vector<reducing_barrier<sum>> phases{b};
  for (int i = 1; i < 100; ++i) phases.push_back(phases.back().advance());
  const auto go = user_event::create();
  for (int i = 99; i > 0; --i) phases[i].arrive_with(i, i % 2 ? after(go) : after(event()));
  go.trigger();
  b.arrive_with(7);
  for (int i = 92; i < 100; ++i) CHECK(phases[i].result() == i);
  CHECK(phases[99].has_triggered());
}

TEST_CASE("values of any size are reduced, also late ones") {
  lone_world world;
  const auto b = reducing_barrier<widest>::create(2);
  wide one{}, two{};
  one.parts[31] = 5;
  two.parts[0] = 9;
  const auto go = user_event::create();
  b.arrive_with(one, after(go));
  b.arrive_with(two);
  go.trigger();
  CHECK(b.result()->parts[31] == 5);
  CHECK(b.result()->parts[0] == 9);
}

TEST_CASE("the result of a poisoned phase throws its cause") {
  lone_world world;
  const auto b = reducing_barrier<sum>::create(2);
  const auto bad = user_event::create();
  bad.poison(trouble("no sum"));
  b.arrive_with(1, after(bad));
  b.arrive_with(1);
  CHECK(message_of([&] { b.result(); }) == "no sum");
}

TEST_CASE("ten million phases take no more memory than a few") {
  lone_world world;
  auto b = reducing_barrier<sum>::create(1);
  std::size_t bytes = 0;
  for (int phase = 0; phase < 10'000'000; ++phase) {
    if (phase % 1000 == 0) {
      const event e = b.event();
      b.arrive_with(phase);
      CHECK(e.has_triggered());
    } else {
      b.arrive();
    }
    b = b.advance();
    if (phase == 10'000) bytes = current_event_statistics().bytes;
  }
  CHECK(b.phase() == 10'000'000);
  CHECK(current_event_statistics().bytes == bytes);
}

TEST_CASE("one arrival too many is refused at once, even if it is deferred") {
  lone_world world;
  const std::string made = line_after();
  const barrier b = barrier::create(3);
  const auto go = user_event::create();
  b.arrive(go, 2);
  std::string where;
  const auto text = message_of([&] {
    where = line_after();
    b.arrive(go, 2);
  });
  CHECK(text ==
        "error E21: barrier B0 phase 0 has more arrivals than it expects\n"
        "  created     " +
            made +
            "\n"
            "  arrived     " +
            where +
            "\n"
            "  expected    3\n"
            "  announced   2\n"
            "  this call   2 more\n"
            "  because     a phase counts only as many arrivals as it expects\n"
            "  try         arrive at the next phase (advance), or raise the count before with alter_arrival_count");
  CHECK(message_of([&] { b.arrive(2); }).starts_with("error E21"));
  CHECK(message_of([&] { b.advance().arrive(4); }).starts_with("error E21: barrier B0 phase 1 has more"));
  b.arrive();
  go.trigger();
  CHECK(b.has_triggered());
  const auto late = message_of([&] {
    where = line_after();
    b.arrive();
  });
  CHECK(late ==
        "error E21: barrier B0 phase 0 has already completed\n"
        "  created     " +
            made +
            "\n"
            "  arrived     " +
            where +
            "\n"
            "  because     a phase counts only as many arrivals as it expects\n"
            "  try         arrive at the next phase (advance), or raise the count before with alter_arrival_count");
}

TEST_CASE("an arrival that waits for its own phase is refused") {
  lone_world world;
  const std::string made = line_after();
  const barrier b = barrier::create(1);
  std::string where;
  const event own = b.event();
  const auto text = message_of([&] {
    where = line_after();
    b.arrive(own);
  });
  CHECK(text ==
        "error E23: an arrival at barrier B0 phase 0 would wait for that phase or a later one\n"
        "  created     " +
            made +
            "\n"
            "  arrived     " +
            where +
            "\n"
            "  because     the phase waits for the arrival, and the arrival waits for the phase\n"
            "  try         arrive after something else, or wait for an earlier phase");
  const auto follower = user_event::create();
  follower.trigger(b.advance().event());
  CHECK(message_of([&] { b.arrive(follower); }).starts_with("error E23"));
  b.advance().arrive(own);
  b.arrive();
  CHECK(b.advance().has_triggered());
  CHECK(follower.has_triggered());
}

TEST_CASE("invalid alterations are refused") {
  lone_world world;
  const std::string made = line_after();
  const barrier b = barrier::create(2);
  b.arrive();
  b.advance().arrive(2);
  std::string where, text;
  text = message_of([&] {
    where = line_after();
    b.alter_arrival_count(-2);
  });
  CHECK(text ==
        "error E24: the arrival count of barrier B0 phase 0 cannot change by -2\n"
        "  created     " +
            made +
            "\n"
            "  altered     " +
            where +
            "\n"
            "  expected    2\n"
            "  because     this phase or a later one would expect fewer arrivals than have been made, or a negative "
            "number\n"
            "  try         lower the count before these tasks arrive");
  CHECK(message_of([&] { b.alter_arrival_count(-1); }).starts_with("error E24"));  // phase 1 has two already
  text = message_of([&] {
    where = line_after();
    b.alter_arrival_count(1 << 24);
  });
  CHECK(text ==
        "error E24: the arrival count of barrier B0 phase 0 cannot change by 16777216\n"
        "  created     " +
            made +
            "\n"
            "  altered     " +
            where +
            "\n"
            "  expected    2\n"
            "  because     a phase expects at most 16777215 arrivals\n"
            "  try         arrive once per group");
  b.arrive();
  CHECK(b.advance().has_triggered());
  text = message_of([&] {
    where = line_after();
    b.alter_arrival_count(1);
  });
  CHECK(text ==
        "error E24: the arrival count of barrier B0 phase 0 cannot change by 1\n"
        "  created     " +
            made +
            "\n"
            "  altered     " +
            where +
            "\n"
            "  because     the phase has already completed\n"
            "  try         alter a later phase, or alter while one of your arrivals is still expected");
}

TEST_CASE("barriers that are too large, gone, none or foreign are refused") {
  lone_world world(1);
  std::string where, text;
  text = message_of([&] {
    where = line_after();
    barrier::create(1 << 24);
  });
  CHECK(text ==
        "error E20: a barrier cannot expect 16777216 arrivals\n"
        "  created     " +
            where +
            "\n"
            "  at most     16777215\n"
            "  try         use one barrier per group of tasks, and merge their events or let them arrive at another "
            "barrier");
  text = message_of([&] {
    where = line_after();
    barrier().arrive();
  });
  CHECK(text ==
        "error E22: a default barrier was used\n"
        "  used        " +
            where +
            "\n"
            "  because     a barrier made without create() is empty\n"
            "  try         make it with barrier::create(arrivals)");
  const barrier b = barrier::create(1);
  b.destroy();
  text = message_of([&] {
    where = line_after();
    b.arrive();
  });
  CHECK(text ==
        "error E22: barrier B0 phase 0 no longer exists\n"
        "  used        " +
            where +
            "\n"
            "  because     it was destroyed before\n"
            "  try         destroy a barrier after its last use");
  const barrier again = barrier::create(1);  // reuses the same slot
  CHECK_THROWS(b.arrive());
  CHECK_FALSE(again.has_triggered());
  lone_world abroad(2);
  CHECK(message_of([&] { again.arrive(); }) ==
        "error E03: barrier B0 phase 0 belongs to another runtime\n"
        "  its node    1\n"
        "  this node   2\n"
        "  because     independent runtimes of one process share no barriers\n"
        "  try         use the barrier on the runtime that made it");
}

TEST_CASE("destroying a barrier poisons the events of its awaited phases") {
  lone_world world;
  const std::string made = line_after();
  const barrier b = barrier::create(1);
  const event e = b.advance().event();
  const auto late = user_event::create();
  b.arrive(late);
  const std::string where = line_after();
  b.destroy();
  CHECK(words_of_cause(e) ==
        "error E25: barrier B0 phase 0 was destroyed while work waited for it\n"
        "  created     " +
            made +
            "\n"
            "  destroyed   " +
            where +
            "\n"
            "  try         destroy a barrier after its last phase has completed");
  late.trigger();  // its arrival has no effect
}

TEST_CASE("the value of a phase that ended long ago is refused") {
  lone_world world;
  const std::string made = line_after();
  auto b = reducing_barrier<sum>::create(1);
  const auto first = b;
  for (int i = 0; i < 9; ++i) {
    b.arrive_with(i);
    b = b.advance();
  }
  CHECK(first.advance().result() == 1);
  CHECK(message_of([&] { first.result(); }) ==
        "error E26: the value of barrier B0 phase 0 is no longer stored\n"
        "  created     " +
            made +
            "\n"
            "  because     a barrier keeps the values of its last 8 phases\n"
            "  try         get the result of a phase before 8 more have completed");
}
