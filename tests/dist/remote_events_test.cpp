// Events of other nodes, one fact at a time; random programs of them are in event_programs_test.cpp.
#include <doctest/doctest.h>

#include <stretto/barrier.hpp>
#include <stretto/completion_queue.hpp>
#include <stretto/reservation.hpp>

#include <algorithm>

#include "base/config.hpp"
#include "campaign.hpp"
#include "dist/cluster.hpp"

using namespace stretto;
using namespace stretto::testing;

namespace {

struct pair_of_nodes : cluster {
  std::mt19937_64 random;
  explicit pair_of_nodes(std::uint32_t nodes = 2, std::uint64_t seed = 1)
      : cluster({.nodes = nodes, .seed = seed}), random(seed) {}
  void settle() { cluster::settle(random); }
  bool has_triggered(std::size_t n, event e) {
    return on(n, [&] { return e.has_triggered(); });
  }
  std::string cause(std::size_t n, event e) {
    return on(n, [&] { return words_of_cause(e); });
  }
};

struct counting : waiter {
  int fired = 0;
  std::string cause;
  counting() {
    fire = [](waiter& self, const failure* why, base::thread_context&) noexcept {
      auto& here = static_cast<counting&>(self);
      ++here.fired;
      if (why) here.cause = exception_text(why->as_exception());
    };
  }
};

}  // namespace

TEST_SUITE_BEGIN("dist");

TEST_CASE("another node sees that an event has triggered, also when it queries again") {
  pair_of_nodes all;
  const event e = all.on(0, [] { return user_event::create(); });
  CHECK_FALSE(all.has_triggered(1, e));
  all.settle();
  CHECK_FALSE(all.has_triggered(1, e));
  all.on(0, [&] { as_user(e).trigger(); });
  all.settle();
  CHECK(all.has_triggered(1, e));
  CHECK(all.cause(1, e) == "");
  CHECK(all.messages() == 2);  // subscribe, ended
}

TEST_CASE("every verb takes events of other nodes") {
  pair_of_nodes all;
  const auto far = [&] { return all.on(0, [] { return user_event::create(); }); };
  const event a = far(), b = far(), c = far();
  const event both = all.on(1, [&] { return merge(a, b); });
  const event lenient = all.on(1, [&] { return ignore_failure(c); });
  const event after = all.on(1, [&] {
    const auto e = user_event::create();
    e.trigger(a);
    return e;
  });
  const auto far_deferred = far();
  all.on(1, [&] { far_deferred.trigger(both); });
  const barrier bar = all.on(1, [&] {
    const auto made = barrier::create(2);
    made.arrive(a);
    made.arrive(b);
    return made;
  });
  const reservation lock = all.on(1, [] { return reservation::create(); });
  const event granted = all.on(1, [&] { return lock.acquire(a); });
  const event released = all.on(1, [&] { return lock.release_grant(granted, c); });
  const auto queue = all.on(1, [&] {
    const auto q = completion_queue::create();
    q.add(b);
    q.add(c);
    return q;
  });
  const event phase = all.on(1, [&] { return bar.event(); });
  all.settle();
  for (const event e : {both, lenient, after, granted, released, phase}) CHECK_FALSE(all.has_triggered(1, e));
  all.on(0, [&] { as_user(a).trigger(); });
  all.settle();
  CHECK(all.has_triggered(1, after));
  CHECK(all.has_triggered(1, granted));
  CHECK_FALSE(all.has_triggered(1, both));
  all.on(0, [&] { as_user(b).trigger(); });
  all.on(1, [&] { as_user(c).poison(trouble("no")); });
  all.settle();
  for (const event e : {both, lenient, released, phase}) CHECK(all.has_triggered(1, e));
  CHECK(all.has_triggered(0, far_deferred));
  CHECK(all.cause(1, c) == "no");  // poisoned here first: the original exception returns
  CHECK(all.cause(0, c) == "no (on N1)");
  CHECK(all.on(1, [&] { return queue.pop(10).size(); }) == 2);
}

TEST_CASE("N nodes that take part in an event send at most 2N-2 messages, whoever triggers it") {
  for (const std::uint32_t nodes : {1u, 2u, 3u, 16u, 64u, base::thread_sanitizer ? 100u : 256u})
    for (const bool by_owner : {true, false}) {
      pair_of_nodes all(nodes);
      const std::size_t who = by_owner ? 0 : nodes - 1;
      for (std::uint32_t round = 0; round < std::max(2u, 20 * 16 / std::max(16u, nodes)); ++round) {
        const event e = all.on(0, [] { return user_event::create(); });
        std::deque<counting> waiters(3 * nodes);
        const auto before = all.messages();
        for (std::size_t i = 0; i < waiters.size(); ++i)
          all.on(i % nodes, [&] { CHECK(detail::subscribe(e, waiters[i], all[i % nodes].context)); });
        all.settle();
        all.on(who, [&] { as_user(e).trigger(); });
        all.settle();
        for (const auto& w : waiters) CHECK(w.fired == 1);
        CHECK(all.messages() - before == 2 * nodes - 2);
      }
      CHECK(all[nodes - 1].events.records() == (nodes > 1 ? 1u : 0u));  // one slot served all rounds
    }
}

TEST_CASE("a node that triggers another node's event continues at once") {
  pair_of_nodes all;
  const event e = all.on(0, [] { return user_event::create(); });
  const event next = all.on(1, [&] {
    const auto n = user_event::create();
    n.trigger(e);
    return n;
  });
  all.settle();
  all.on(1, [&] { as_user(e).trigger(); });
  CHECK(all.has_triggered(1, next));  // no node has polled
  CHECK(all.has_triggered(1, e));
  CHECK_FALSE(all.has_triggered(0, e));
  all.settle();
  CHECK(all.has_triggered(0, e));
  CHECK(all.messages() == 2);  // subscribe, end
}

TEST_CASE("only the owner, not the handle of a later generation, says how a generation ended") {
  pair_of_nodes all;
  const event first = all.on(0, [] { return user_event::create(); });
  all.on(0, [&] { as_user(first).poison(trouble("first")); });
  const event second = all.on(0, [] { return user_event::create(); });
  CHECK(detail::slot_of(first) == detail::slot_of(second));
  counting w;
  all.on(1, [&] { detail::subscribe(second, w, all[1].context); });
  all.on(1, [&] { as_user(second).trigger(); });  // inferred, above an unknown generation
  CHECK(all.has_triggered(1, second));
  CHECK_FALSE(all.has_triggered(1, first));
  all.settle();
  CHECK(all.cause(1, first) == "first (on N0)");
  CHECK(all.cause(1, second) == "");
  CHECK(w.fired == 1);
}

TEST_CASE("triggers from a node that misses generations in between use bounded memory and messages") {
  pair_of_nodes all;
  std::deque<counting> waiters;
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 2; ++k)
      all.on(0, [] { user_event::create().trigger(); });  // generations that node 1 never sees
    const event e = all.on(0, [] { return user_event::create(); });
    auto& w = waiters.emplace_back();
    all.on(1, [&] { CHECK(detail::subscribe(e, w, all[1].context)); });
    all.on(1, [&] { as_user(e).trigger(); });
    CHECK(w.fired == 1);
    all.settle();
    CHECK(all.has_triggered(0, e));
  }
  CHECK(all.messages() == 200 + 100 / dist::known_ends<std::uint32_t, waiter*>::most_inferred);
}

TEST_CASE("a slot's sixteen poisons reach other nodes, and then it is retired") {
  pair_of_nodes all;
  std::vector<event> ended;
  const auto index = detail::slot_of(all.on(0, [] {
    const auto e = user_event::create();
    e.trigger();
    return e;
  }));
  for (unsigned i = 0; i < detail::most_poisons; ++i) {
    const event e = all.on(0, [] { return user_event::create(); });
    CHECK(detail::slot_of(e) == index);
    all.on(i % 2, [&] { as_user(e).poison(trouble("poison " + std::to_string(i))); });
    all.settle();
    ended.push_back(e);
  }
  CHECK(detail::slot_of(all.on(0, [] { return user_event::create(); })) != index);
  for (const event e : ended) CHECK_FALSE(all.has_triggered(1, e));
  all.settle();
  for (unsigned i = 0; i < ended.size(); ++i)
    CHECK(all.cause(1, ended[i]) == "poison " + std::to_string(i) + (i % 2 ? "" : " (on N0)"));
}

TEST_CASE("a failure that crosses nodes names the node and line of each link, and the exception") {
  pair_of_nodes all(3);
  const event far = all.on(0, [] { return user_event::create(); });
  const auto write_line = std::source_location::current();
  const auto send_line = std::source_location::current();
  all.on(2, [&] {
    const auto root =
        detail::make_failure(std::make_exception_ptr(error("D01", "the disk is full").fact("free", "0 bytes")),
                             "task \"write\"", write_line);
    const auto skipped = failure_ref::adopt(new failure(*root.get(), "task \"send\"", send_line));
    detail::end_event(far, skipped, all[2].context, std::source_location::current());
  });
  all.has_triggered(1, far);
  all.settle();
  const std::string told = all.cause(1, far);
  CHECK(contains(told, "task \"send\" on N2 was skipped because task \"write\" on N2 failed"));
  CHECK(contains(told, "task \"write\" on N2, " + short_location(write_line)));
  CHECK(contains(told, "task \"send\" on N2, " + short_location(send_line)));
  CHECK(contains(told, "error D01: the disk is full"));
  CHECK(contains(told, "on node     N2"));
  try {
    all.on(1, [&] { far.result().rethrow(); });
  } catch (const poisoned& p) {
    try {
      std::rethrow_exception(p.root());
    } catch (const error& e) {
      CHECK(e.code() == "D01");
      CHECK(e.facts().size() == 2);
    }
  }
}

TEST_CASE("a root that arrives twice, or returns to its node, is the same object") {
  pair_of_nodes all(3);
  std::vector<event> three;
  for (int i = 0; i < 3; ++i) three.push_back(all.on(0, [] { return user_event::create(); }));
  const event home = all.on(2, [] { return user_event::create(); });
  const failure_ref root =
      all.on(2, [] { return detail::make_failure(trouble("once"), "task \"t\"", std::source_location::current()); });
  for (const event e : three) all.on(2, [&] { detail::end_event(e, root, all[2].context, {}); });
  all.settle();
  all.on(0, [&] { as_user(home).trigger(three[0]); });
  for (const event e : three) all.has_triggered(1, e);
  all.settle();
  const auto root_at = [&](std::size_t n, event e) {
    return all.on(n, [&] { return &detail::cause_of(e, all[n].context)->root(); });
  };
  for (std::size_t n : {0, 1}) {
    CHECK(root_at(n, three[0]) == root_at(n, three[1]));
    CHECK(root_at(n, three[0]) == root_at(n, three[2]));
  }
  CHECK(root_at(2, home) == root.get());
  CHECK(root_at(1, three[0])->has_root_of(*root.get()));
}

TEST_CASE("an event that two nodes trigger is refused to the second, with its line") {
  pair_of_nodes all(3);
  const std::string made = line_of();
  const event e = all.on(0, [] { return user_event::create(); });
  all.on(1, [&] { as_user(e).trigger(); });
  all.settle();
  const std::string line = line_of();
  all.on(2, [&] { as_user(e).trigger(); });
  all.settle();
  CHECK(all[0].reports.empty());
  CHECK(all[1].reports.empty());
  REQUIRE(all[2].reports.size() == 1);
  const std::string& told = all[2].reports.front();
  const auto next = [](const std::string& at) {
    return at.substr(0, at.find(':') + 1) + std::to_string(std::stoi(at.substr(at.find(':') + 1)) + 1);
  };
  CHECK(contains(told, "error E01: "));
  CHECK(contains(told, "created     " + next(made)));
  CHECK(contains(told, "triggered   " + next(line)));
}

TEST_CASE("a handle of no node of the job is refused") {
  pair_of_nodes all;
  const event nowhere = detail::handle_of(7, 1, 1);
  CHECK(contains(message_of([&] { all.on(0, [&] { return nowhere.has_triggered(); }); }), "error E03"));
  CHECK(contains(message_of([&] { all.on(0, [&] { as_user(nowhere).trigger(); }); }), "error E03"));
  CHECK(contains(message_of([&] { all.on(0, [&] { as_user(nowhere).trigger(user_event::create()); }); }), "error E03"));
  CHECK(contains(message_of([&] { all.on(0, [&] { return merge(nowhere, user_event::create()); }); }), "error E03"));
}

TEST_CASE("a lost node's events that are not known to have ended are poisoned with N05") {
  pair_of_nodes all(3);
  const auto far = [&] { return all.on(1, [] { return user_event::create(); }); };
  const event known = far(), asked = far(), never_asked = far();
  all.has_triggered(0, known);
  counting w;
  all.on(0, [&] { detail::subscribe(asked, w, all[0].context); });
  all.on(1, [&] { as_user(known).trigger(); });
  all.settle();
  all.kill(1);
  all.settle();
  CHECK(all.cause(0, known) == "");
  CHECK(w.fired == 1);
  CHECK(contains(w.cause, "error N05: node N1 is lost"));
  CHECK(contains(all.cause(0, asked), "error N05: node N1 is lost"));
  CHECK(contains(all.cause(0, never_asked), "error N05: node N1 is lost"));
  const event mine = all.on(0, [] { return user_event::create(); });
  all.on(0, [&] {
    mine.has_triggered();
    as_user(mine).trigger(never_asked);
  });
  CHECK(contains(all.cause(0, mine), "error N05: node N1 is lost"));
  all.on(0, [&] { as_user(never_asked).trigger(); });  // no node to notify
  all.settle();
  CHECK_FALSE(all.has_triggered(2, mine));
  all.settle();
  CHECK(contains(all.cause(2, mine), "error N05: node N1 is lost"));
}

TEST_CASE("records of remote slots are bounded by the owner's peak of untriggered events") {
  pair_of_nodes all(4);
  std::vector<event> pending;
  for (int i = 0; i < 2000; ++i) {
    pending.push_back(all.on(0, [] { return user_event::create(); }));
    for (std::size_t n = 1; n < 4; ++n) all.has_triggered(n, pending.back());
    if (pending.size() < 10) continue;
    const auto at = all.random() % pending.size();
    all.on(all.random() % 4, [&] { as_user(pending[at]).trigger(); });
    pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(at));
    all.settle();
  }
  for (std::size_t n = 1; n < 4; ++n) CHECK(all[n].events.records() <= 10);
}

TEST_CASE("two jobs of one process are separate: their node numbers differ") {
  cluster one({.nodes = 2}, 0), other({.nodes = 2}, 2);
  const event e = other.on(1, [] { return user_event::create(); });
  CHECK(to_string(e).starts_with("N3:"));
  CHECK(contains(message_of([&] { one.on(0, [&] { return e.has_triggered(); }); }), "error E03"));
  std::mt19937_64 random(1);
  CHECK_FALSE(other.on(0, [&] { return e.has_triggered(); }));
  other.on(0, [&] { as_user(e).trigger(); });
  other.settle(random);
  CHECK(other.on(1, [&] { return e.has_triggered(); }));
}

TEST_SUITE_END();
