#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "event/event_world.hpp"
#include "event/remote_owner.hpp"

using namespace stretto;
using namespace stretto::testing;

namespace {

/// Stands for all other nodes: keeps their events in a map and ends them on demand.
class other_nodes : public remote_owner {
 public:
  struct remote_event {
    known_state known;
    std::vector<waiter*> waiters;
    int interests = 0;
  };
  std::map<std::uint64_t, remote_event> events;
  std::vector<std::pair<event, std::string>> forwarded;

  known_state query(event e) override { return events[e.raw()].known; }
  void express_interest(event e) override { ++events[e.raw()].interests; }
  bool subscribe(event e, waiter& w, base::thread_context&) override {
    auto& r = events[e.raw()];
    if (r.known.state != state::pending) return false;
    r.waiters.push_back(&w);
    return true;
  }
  void forward_end(event e, failure_ref cause, base::thread_context&, const std::source_location&) override {
    forwarded.emplace_back(e, cause ? message_of([&] { cause->raise(); }) : "");
  }

  void arrive(event e, failure_ref cause, base::thread_context& context) {
    auto& r = events[e.raw()];
    r.known = {cause ? state::poisoned : state::triggered, cause};
    for (waiter* w : std::exchange(r.waiters, {})) {
      w->next = nullptr;
      detail::fire_all(w, cause.get(), context);
    }
  }
};

event far_event(unsigned slot) { return event::from_raw(std::uint64_t{9} << 48 | std::uint64_t{slot} << 21 | 1); }

struct connected_world : lone_world {
  other_nodes others;
  connected_world() { detail::set_remote_owner(runtime, &others); }
};

failure_ref far_failure(const std::string& words) {
  return detail::make_failure(trouble(words), "far task", std::source_location::current());
}

}  // namespace

TEST_CASE("an event of another node is queried at its owner") {
  connected_world world;
  const event far = far_event(1);
  CHECK(to_string(far) == "N9:E1.1");
  CHECK_FALSE(far.has_triggered());
  world.others.arrive(far, {}, world.context);
  CHECK(far.has_triggered());
  CHECK_FALSE(far.is_poisoned());
  world.others.arrive(far_event(2), far_failure("far away"), world.context);
  CHECK(words_of_cause(far_event(2)) == "far away");
}

TEST_CASE("a local event follows a remote one") {
  connected_world world;
  const auto a = user_event::create(), b = user_event::create();
  a.trigger(far_event(1));
  b.trigger(far_event(2));
  world.others.arrive(far_event(1), {}, world.context);
  world.others.arrive(far_event(2), far_failure("far away"), world.context);
  CHECK(a.has_triggered());
  CHECK(words_of_cause(b) == "far away");
}

TEST_CASE("a trigger of a remote event is forwarded, also a deferred one and a poison") {
  connected_world world;
  const auto as_user = [](event e) { return static_cast<const user_event&>(e); };
  const event one = far_event(1), two = far_event(2), three = far_event(3), four = far_event(4);
  const auto before = user_event::create(), bad = user_event::create();
  as_user(one).trigger();
  as_user(two).trigger(before);
  as_user(three).trigger(bad);
  as_user(four).poison(trouble("because"));
  CHECK(world.others.forwarded.size() == 2);
  before.trigger();
  bad.poison(trouble("bad"));
  REQUIRE(world.others.forwarded.size() == 4);
  CHECK(world.others.forwarded[0] == std::pair(one, std::string()));
  CHECK(world.others.forwarded[1] == std::pair(four, std::string("because")));
  CHECK(world.others.forwarded[2] == std::pair(two, std::string()));
  CHECK(world.others.forwarded[3] == std::pair(three, std::string("bad")));
  as_user(one).trigger(before);  // ended already: forwarded at once
  CHECK(world.others.forwarded.size() == 5);
}

TEST_CASE("a merge subscribes to all its remote inputs before it waits for one") {
  connected_world world;
  for (unsigned n : {2u, 3u, 10u}) {
    std::vector<event> inputs{user_event::create()};
    for (unsigned i = 1; i < n; ++i) inputs.push_back(far_event(100 * n + i));
    const event all = merge(inputs);
    for (unsigned i = 1; i < n; ++i) CHECK(world.others.events[inputs[i].raw()].interests == 1);
    for (unsigned i = 1; i < n; ++i)
      world.others.arrive(inputs[i], i == 1 ? far_failure("input 1") : failure_ref(), world.context);
    CHECK_FALSE(all.has_triggered());
    static_cast<const user_event&>(inputs[0]).trigger();
    CHECK(words_of_cause(all) == "input 1");
  }
}
