#include <doctest/doctest.h>

#include <stretto/reservation.hpp>

#include <algorithm>
#include <vector>

#include "event/event_world.hpp"
#include "event/remote_reservation.hpp"

using namespace stretto;
using namespace stretto::testing;

TEST_CASE("a free reservation is held at once, and a second acquire waits for the release") {
  lone_world world;
  const auto r = reservation::create();
  CHECK(r.acquire() == event());
  const event second = r.acquire(), third = r.acquire();
  CHECK_FALSE(r.try_acquire());
  CHECK_FALSE(second.has_triggered());
  CHECK(r.release() == event());
  CHECK(second.has_triggered());
  CHECK_FALSE(third.has_triggered());
  r.release();
  CHECK(third.has_triggered());
  r.release();
  CHECK(r.try_acquire());
  r.release();
}

TEST_CASE("acquire and release wait for their preconditions, and releases may be issued before the grant") {
  lone_world world;
  const auto r = reservation::create();
  const auto ready = user_event::create(), done = user_event::create();
  const event grant = r.acquire(ready);
  const event released = r.release(done);  // before the grant
  const event next = r.acquire(grant);     // queued behind it
  CHECK(r.try_acquire());                  // nothing has taken effect yet
  r.release();
  ready.trigger();
  CHECK(grant.has_triggered());
  CHECK_FALSE(next.has_triggered());
  CHECK_FALSE(released.has_triggered());
  done.trigger();
  CHECK(released.has_triggered());
  CHECK(next.has_triggered());
  r.release(after(ready, done));
  CHECK(r.try_acquire());
  r.release();
}

TEST_CASE("grants follow the order in which acquires took effect") {
  lone_world world;
  const auto r = reservation::create();
  CHECK(r.try_acquire());
  std::vector<user_event> go;
  std::vector<event> grants;
  for (int i = 0; i < 5; ++i) grants.push_back(r.acquire(go.emplace_back(user_event::create())));
  const int order[] = {3, 1, 4, 0, 2};
  for (int i : order) go[i].trigger();
  for (int i : order) {
    CHECK_FALSE(grants[i].has_triggered());
    r.release();
    CHECK(grants[i].has_triggered());
  }
  r.release();
}

TEST_CASE("readers hold a reservation together, and an exclusive acquire waits for all of them") {
  lone_world world;
  const auto r = reservation::create();
  CHECK(r.acquire(shared) == event());
  CHECK(r.acquire(shared) == event());
  CHECK(r.try_acquire(shared));
  CHECK_FALSE(r.try_acquire());
  const event alone = r.acquire();
  r.release(), r.release();
  CHECK_FALSE(alone.has_triggered());
  r.release();
  CHECK(alone.has_triggered());
  CHECK_FALSE(r.try_acquire(shared));
  r.release();
  CHECK(r.try_acquire());
  r.release();
}

TEST_CASE("readers that queue behind a waiter stay behind it, and consecutive readers are granted together") {
  lone_world world;
  const auto r = reservation::create();
  CHECK(r.try_acquire(shared));
  const event writer = r.acquire();
  const event first = r.acquire(shared), second = r.acquire(shared), last = r.acquire(), third = r.acquire(shared);
  CHECK_FALSE(r.try_acquire(shared));
  CHECK_FALSE(first.has_triggered());
  r.release();
  CHECK(writer.has_triggered());
  CHECK_FALSE(first.has_triggered());
  r.release();
  CHECK(first.has_triggered());
  CHECK(second.has_triggered());
  CHECK_FALSE(last.has_triggered());
  r.release();
  CHECK_FALSE(last.has_triggered());
  r.release();
  CHECK(last.has_triggered());
  CHECK_FALSE(third.has_triggered());
  r.release();
  CHECK(third.has_triggered());
  r.release();
  CHECK(r.try_acquire());
  r.release();
}

TEST_CASE("a shared acquire waits for its preconditions, and a poisoned one holds nothing") {
  lone_world world;
  const auto r = reservation::create();
  const auto ready = user_event::create(), never = user_event::create();
  const event held = r.acquire(shared, ready), skipped = r.acquire(shared, never);
  const event both = r.acquire(shared, after(ready, ready));
  CHECK_FALSE(held.has_triggered());
  ready.trigger();
  CHECK(held.has_triggered());
  CHECK(both.has_triggered());
  never.poison(trouble("no"));
  CHECK(words_of_cause(skipped) == "no");
  r.release(skipped);  // of nothing
  const event writer = r.acquire();
  r.release();
  CHECK_FALSE(writer.has_triggered());
  r.release();
  CHECK(writer.has_triggered());
  r.release();
  CHECK(message_of([&] { r.release(); }).find("error E31") != std::string::npos);
}

TEST_CASE("a poisoned acquire holds nothing and the release after its skipped work does nothing") {
  lone_world world;
  const auto r = reservation::create();
  const auto bad = user_event::create();
  const event grant = r.acquire(bad);
  const event work = merge(grant, event());  // as work skipped because of the grant
  const event released = r.release(work);
  bad.poison(trouble("bad"));
  CHECK(words_of_cause(grant) == "bad");
  CHECK(released.has_triggered());
  CHECK_FALSE(released.is_poisoned());
  CHECK(r.try_acquire());  // not released under someone
  CHECK_FALSE(r.try_acquire());
  r.release();
}

TEST_CASE("the release of a poisoned acquire spares the hold of another") {
  lone_world world;
  const auto r = reservation::create();
  const auto bad = user_event::create(), work = user_event::create();
  CHECK(r.try_acquire());
  const event grant = r.acquire(bad);
  r.release(work);
  bad.poison(trouble("bad"));
  work.trigger(grant);
  CHECK_FALSE(r.try_acquire());  // still the first holder's
  r.release();
  CHECK(r.try_acquire());
  r.release();
}

TEST_CASE("a poisoned release still releases") {
  lone_world world;
  const auto r = reservation::create();
  CHECK(r.acquire() == event());
  const auto work = user_event::create();
  const event released = r.release(work);
  const event next = r.acquire();
  work.poison(trouble("work failed"));
  CHECK(released.has_triggered());
  CHECK_FALSE(released.is_poisoned());
  CHECK(next.has_triggered());
  CHECK_FALSE(next.is_poisoned());
  r.release();
}

TEST_CASE("a release that names its grant does nothing if the grant was poisoned, whatever the release waits for") {
  lone_world world;
  const auto r = reservation::create();
  const auto bad = user_event::create(), work = user_event::create();
  CHECK(r.try_acquire());
  const event grant = r.acquire(bad);
  const event released = r.release_grant(grant, ignore_failure(work));
  bad.poison(trouble("bad"));
  CHECK_FALSE(released.has_triggered());
  work.trigger();
  CHECK(released.has_triggered());
  CHECK_FALSE(r.try_acquire());
  CHECK(r.release_grant(event()).has_triggered());
  CHECK(r.try_acquire());

  const event waits = r.acquire();
  const event last = r.release_grant(waits);
  r.release();
  CHECK(waits.has_triggered());
  CHECK(last.has_triggered());
  CHECK(r.try_acquire());
  r.release();
  CHECK(message_of([&] { r.release(); }).starts_with("error E31"));  // nothing is left to be ignored
}

TEST_CASE("the payload belongs to the holder and starts as zeros") {
  lone_world world;
  const auto r = reservation::create({.payload_bytes = 4096});
  CHECK(r.acquire() == event());
  auto& words = r.payload_as<std::array<std::uint64_t, 512>>();
  CHECK(reinterpret_cast<std::uintptr_t>(&words) % 64 == 0);
  for (auto w : words) CHECK(w == 0);
  words[511] = 42;
  const event next = r.acquire();
  r.release();
  CHECK(next.has_triggered());
  CHECK(r.payload_as<std::array<std::uint64_t, 512>>()[511] == 42);
  r.release();
}

TEST_CASE("releasing a reservation that is not held is misuse when the release takes effect") {
  static std::string told;
  lone_world world;
  detail::report_unobserved_to(world.runtime, [](void*, failure_ref f) { told = f->who(); }, nullptr);
  const std::string made = line_after();
  const auto r = reservation::create();
  std::string where, text;
  text = message_of([&] {
    where = line_after();
    r.release();
  });
  CHECK(text ==
        "error E31: reservation R0 was released while it was not held\n"
        "  created     " +
            made +
            "\n"
            "  released    " +
            where +
            "\n"
            "  because     each release ends one hold, and there was none when this one took effect\n"
            "  try         release once per acquire, after the grant (release after the work that runs after acquire)");
  const auto later = user_event::create();
  where = line_after();
  const event released = r.release(later);
  later.trigger();
  CHECK(words_of_cause(released) ==
        "error E31: reservation R0 was released while it was not held\n"
        "  created     " +
            made +
            "\n"
            "  released    " +
            where +
            "\n"
            "  because     each release ends one hold, and there was none when this one took effect\n"
            "  try         release once per acquire, after the grant (release after the work that runs after acquire)");
  CHECK(told == "release of reservation R0");
}

TEST_CASE("reservations that are too large, gone, none, foreign or without payload are refused") {
  lone_world world(1);
  std::string where, text;
  text = message_of([&] {
    where = line_after();
    reservation::create({.payload_bytes = 4097});
  });
  CHECK(text ==
        "error E30: a reservation cannot carry 4097 bytes\n"
        "  created     " +
            where +
            "\n"
            "  at most     4096 bytes\n"
            "  because     the payload travels with every transfer of the reservation\n"
            "  try         keep large data in an instance and reserve the right to use it");
  text = message_of([&] {
    where = line_after();
    reservation().acquire();
  });
  CHECK(text ==
        "error E32: a default reservation was used\n"
        "  used        " +
            where +
            "\n"
            "  because     a reservation made without create() is empty\n"
            "  try         make it with reservation::create()");
  const std::string made = line_after();
  const auto r = reservation::create();
  text = message_of([&] {
    where = line_after();
    r.payload();
  });
  CHECK(text ==
        "error E34: reservation R0 has no payload\n"
        "  created     " +
            made +
            "\n"
            "  used        " +
            where +
            "\n"
            "  try         create it with {.payload_bytes = ...}");
  r.destroy();
  text = message_of([&] {
    where = line_after();
    r.try_acquire();
  });
  CHECK(text ==
        "error E32: reservation R0 no longer exists\n"
        "  used        " +
            where +
            "\n"
            "  because     it was destroyed before\n"
            "  try         destroy a reservation after its last release");
  const auto mine = reservation::create();
  lone_world abroad(2);
  CHECK(message_of([&] { mine.acquire(); }) ==
        "error E03: reservation R0 belongs to another runtime\n"
        "  its node    1\n"
        "  this node   2\n"
        "  because     independent runtimes of one process share no reservations\n"
        "  try         use the reservation on the runtime that made it");
}

TEST_CASE("destroying a reservation poisons the acquires that wait for it, now and later") {
  lone_world world;
  const std::string made = line_after();
  const auto r = reservation::create();
  CHECK(r.try_acquire());
  const auto late = user_event::create();
  const event waits = r.acquire();
  const std::string acquired = line_after();
  const event comes_late = r.acquire(late);
  const std::string where = line_after();
  r.destroy();
  CHECK(words_of_cause(waits) ==
        "error E33: reservation R0 was destroyed while acquires waited for it\n"
        "  created     " +
            made +
            "\n"
            "  destroyed   " +
            where +
            "\n"
            "  try         destroy a reservation after its last release");
  late.trigger();
  CHECK(words_of_cause(comes_late) ==
        "error E32: reservation R0 no longer exists\n"
        "  acquired    " +
            acquired +
            "\n"
            "  because     it was destroyed before the acquire could take effect\n"
            "  try         destroy a reservation after its last release");
}

TEST_CASE("readers of other nodes are granted in order, together with readers of this one") {
  lone_world world;
  const auto r = reservation::create({.fairness = 1});
  auto& cache = detail::event_cache::of(world.context);
  detail::reservation_state& held = *detail::find_reservation(detail::reservation_id{r.raw()}, *cache.table);
  struct ask : detail::remote_acquire {
    bool granted = false;
    explicit ask(detail::hold wanted) {
      how = wanted;
      fire = [](waiter& w, const failure*, base::thread_context&) noexcept { static_cast<ask&>(w).granted = true; };
    }
  };
  ask first(detail::hold::shared), second(detail::hold::shared), leaves(detail::hold::exclusive),
      third(detail::hold::shared);
  CHECK(held.acquire_for(first) == detail::reservation_state::acquire_result::now);
  CHECK(r.try_acquire(shared));
  const event writer = r.acquire();
  CHECK(held.acquire_for(second) == detail::reservation_state::acquire_result::later);
  CHECK_FALSE(held.leave(leaves));
  CHECK(held.acquire_for(third) == detail::reservation_state::acquire_result::later);
  const event reader = r.acquire(shared);
  r.release(), r.release();
  CHECK(writer.has_triggered());
  r.release();  // once there was one of this node: now one of another
  CHECK(second.granted);
  CHECK(reader.has_triggered());
  CHECK_FALSE(leaves.granted);
  r.release(), r.release();
  CHECK(leaves.granted);
  CHECK(held.is_elsewhere());
  CHECK_FALSE(third.granted);
  CHECK(held.take_remote() == &third);  // it goes after the reservation
}

TEST_CASE("another node waits for at most `fairness` preferred grants") {
  lone_world world;
  for (std::uint32_t fairness : {0u, 1u, 3u}) {
    const auto r = reservation::create({.fairness = fairness});
    CHECK(r.try_acquire());
    auto& cache = detail::event_cache::of(world.context);
    detail::reservation_state& held = *detail::find_reservation(detail::reservation_id{r.raw()}, *cache.table);
    const auto comes_back = [&] {
      CHECK(held.is_elsewhere());
      detail::reservation_state::grant next;
      held.move_here(fairness, held.where(), {}, next);
      detail::reservation_state::hand_out(next, cache, world.context);
    };
    struct ask : detail::remote_acquire {
      bool granted = false;
    } remote[2];
    for (auto& a : remote) {
      a.fire = [](waiter& w, const failure*, base::thread_context&) noexcept { static_cast<ask&>(w).granted = true; };
      CHECK_FALSE(held.leave(a));
    }
    std::vector<event> local;
    for (int i = 0; i < 10; ++i) local.push_back(r.acquire());
    const auto granted = [&] {
      int n = 0;
      for (auto e : local) n += e.has_triggered();
      return n;
    };
    for (std::uint32_t i = 0; i < fairness; ++i) r.release();
    CHECK(granted() == static_cast<int>(fairness));
    CHECK_FALSE(remote[0].granted);
    r.release();
    CHECK(remote[0].granted);
    CHECK_FALSE(remote[1].granted);
    comes_back();  // local waiters are served first
    for (std::uint32_t i = 0; i < std::max(fairness, 1u); ++i) r.release();
    CHECK(remote[1].granted);
    comes_back();
    for (int i = granted(); i < 10; ++i) r.release();
    CHECK(granted() == 10);
    r.release();
    ask alone;
    CHECK(held.leave(alone));
    comes_back();
    CHECK(r.try_acquire());
    r.release();
  }
}
