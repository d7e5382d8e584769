#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "event/event_world.hpp"

using namespace stretto;
using namespace stretto::testing;

TEST_CASE("an event made to wait for itself is refused with both places") {
  lone_world world;
  const std::string made = line_after();
  const auto e = user_event::create();
  std::string waits;
  const auto text = message_of([&] {
    waits = line_after();
    e.trigger(e);
  });
  CHECK(text ==
        "error E02: E0.1 would wait for itself\n"
        "  created     " +
            made +
            "\n"
            "  called      " +
            waits +
            "\n"
            "  because     the precondition is the event itself\n"
            "  try         break the cycle: one of these events must not wait for the others");
  e.trigger();  // nothing had changed
}

TEST_CASE("two events that wait for each other are refused with both creations") {
  lone_world world;
  const std::string a_made = line_after();
  const auto a = user_event::create();
  const std::string b_made = line_after();
  const auto b = user_event::create();
  b.trigger(a);
  std::string waits;
  const auto text = message_of([&] {
    waits = line_after();
    a.trigger(b);
  });
  CHECK(text ==
        "error E02: E0.1 would wait for itself\n"
        "  created     " +
            a_made +
            "\n"
            "  called      " +
            waits +
            "\n"
            "  awaited     E1.1, created " +
            b_made +
            "\n"
            "  because     E1.1 triggers only after E0.1\n"
            "  try         break the cycle: one of these events must not wait for the others");
  a.trigger();
  CHECK(b.has_triggered());
}

TEST_CASE("a wait cycle through merges of any size is found, whichever input is subscribed to") {
  lone_world world;
  for (std::size_t size : {2, 3, 6, 7, 12, 13, 100, 500}) {
    for (std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      std::vector<event> inputs;
      std::vector<user_event> users;
      for (std::size_t i = 0; i < size; ++i) inputs.push_back(users.emplace_back(user_event::create()));
      const auto last = user_event::create();
      last.trigger(merge(inputs));
      CAPTURE(size);
      CAPTURE(at);
      CHECK(message_of([&] { users[at].trigger(last); }).starts_with("error E02"));
      for (auto u : users) u.trigger();
      CHECK(last.has_triggered());
    }
  }
}

TEST_CASE("a wait cycle through ignore_failure is found") {
  lone_world world;
  const auto a = user_event::create();
  const auto survivor = ignore_failure(a);
  CHECK(message_of([&] { a.trigger(survivor); }).starts_with("error E02"));
  a.trigger();
}

TEST_CASE("a long chain without a cycle is accepted, forwards and backwards") {
  lone_world world;
  std::vector<user_event> chain;
  for (int i = 0; i < 5'000; ++i) chain.push_back(user_event::create());
  for (int i = 4'999; i > 2'500; --i) chain[i].trigger(chain[i - 1]);
  for (int i = 1; i <= 2'500; ++i) chain[i].trigger(chain[i - 1]);
  chain[0].trigger();
  CHECK(chain.back().has_triggered());
}

TEST_CASE("inputs that a merge has already seen end do not form a cycle") {
  lone_world world;
  const auto a = user_event::create(), b = user_event::create(), c = user_event::create(), d = user_event::create();
  const auto all = merge({a, b, c, d});
  d.trigger();
  c.trigger();
  const auto late = user_event::create();
  late.trigger(all);
  a.trigger();
  b.trigger();
  CHECK(late.has_triggered());
}

TEST_CASE("a wait cycle is found through merges of merges with too many paths to walk") {
  lone_world world;
  const auto root = user_event::create(), other = user_event::create();
  event last = root;
  for (int level = 0; level < 20; ++level) {
    const auto left = user_event::create(), right = user_event::create();
    left.trigger(last);
    right.trigger(last);
    last = merge({left, right, other, other, left});
  }
  CHECK(message_of([&] { root.trigger(last); }).starts_with("error E02"));
  other.trigger();
  root.trigger();
  CHECK(last.has_triggered());
}
