// Several real threads on one runtime's events, from many seeds; meant for ThreadSanitizer as much as for its checks.
#include <doctest/doctest.h>

#include <stretto/barrier.hpp>
#include <stretto/completion_queue.hpp>
#include <stretto/reservation.hpp>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "event/event_world.hpp"

using namespace stretto;
using namespace stretto::testing;

namespace {

constexpr unsigned threads = 4;

unsigned seeds() { return test::scaled(20u, 2'000u); }

/// Runs f(thread) on several members of the world.
template <class F>
void on_threads(event_world& world, F&& f) {
  std::barrier start(threads);
  std::vector<std::jthread> all;
  for (unsigned t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      member here(world, t + 1);
      start.arrive_and_wait();
      f(t, here.context);
      start.arrive_and_wait();
    });
}

template <class Condition>
void spin_until(Condition&& done) {
  while (!done()) std::this_thread::yield();
}

struct counting_waiter : waiter {
  std::atomic<int> fired{0};
  counting_waiter() {
    fire = [](waiter& w, const failure*, base::thread_context&) noexcept {
      static_cast<counting_waiter&>(w).fired.fetch_add(1);
    };
  }
};

/// How event i ends: by a thread, an earlier event, or a merge of earlier ones.
struct plan {
  struct action {
    std::size_t target;
    std::vector<std::size_t> inputs;  // none: triggered by a thread
    bool poison = false;
  };
  std::vector<action> actions;
  std::vector<std::string> cause;  // expected

  plan(std::size_t events, std::mt19937& random) : cause(events) {
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    for (std::size_t i = 0; i < events; ++i) {
      action a{i, {}, false};
      if (i > 3 && below(3)) {
        for (std::size_t n = below(4) ? 1 + below(3) : 1 + below(40); n > 0; --n) a.inputs.push_back(below(i));
        for (auto input : a.inputs)
          if (cause[i].empty()) cause[i] = cause[input];
      } else if (below(8) == 0) {
        a.poison = true;
        cause[i] = "event " + std::to_string(i);
      }
      actions.push_back(std::move(a));
    }
    std::shuffle(actions.begin(), actions.end(), random);
  }
  std::size_t merges() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(actions, [](const action& a) { return a.inputs.size() > 1; }));
  }
};

}  // namespace

TEST_CASE("events ended, merged, followed and awaited by several threads end as planned, each waiter fired once") {
  event_world world;
  member here(world);
  std::size_t most_untriggered = 0;
  for (unsigned seed = 0; seed < 2 * seeds(); ++seed) {
    std::mt19937 random(seed);
    const plan p(400, random);
    std::vector<user_event> events;
    for (std::size_t i = 0; i < p.cause.size(); ++i) events.push_back(user_event::create());
    std::vector<counting_waiter> waiters(threads * p.cause.size());
    on_threads(world, [&](unsigned t, base::thread_context& context) {
      std::vector<event> inputs;
      std::mt19937 own(seed * threads + t);
      for (std::size_t k = t; k < p.actions.size(); k += threads) {
        const auto& a = p.actions[k];
        inputs.clear();
        for (auto i : a.inputs) inputs.push_back(events[i]);
        if (inputs.size() == 1) events[a.target].trigger(inputs[0]);
        else if (inputs.size() > 1) events[a.target].trigger(merge(inputs));
        else if (a.poison) events[a.target].poison(trouble("event " + std::to_string(a.target)));
        else events[a.target].trigger();
        const std::size_t other = own() % events.size();
        auto& w = waiters[t * events.size() + k];
        if (!detail::subscribe(events[other], w, context)) w.fired = 1;
        if (events[other].has_triggered() && words_of_cause(events[other]) != p.cause[other]) w.fired = 99;
      }
    });
    for (std::size_t i = 0; i < events.size(); ++i) CHECK(words_of_cause(events[i]) == p.cause[i]);
    for (std::size_t k = 0; k < p.actions.size(); ++k) CHECK(waiters[k % threads * events.size() + k].fired == 1);
    CHECK(current_event_statistics().untriggered == 0);
    // Each thread's cache has at most two batches of 64 slots; the rest follows the peak of untriggered events, among
    // them those of merges. Poisoned generations retire some slots.
    most_untriggered = std::max(most_untriggered, p.cause.size() + p.merges());
    const auto n = current_event_statistics();
    CHECK(n.slots <= most_untriggered + n.retired + (threads + 1) * 2 * 64 + 64);
  }
}

TEST_CASE("storage does not grow if one thread triggers the events that another makes") {
  event_world world;
  member here(world);
  constexpr int rounds = 2'000, batch = 50;
  std::vector<user_event> handed(batch);
  std::atomic<int> turn{0};  // even: the maker's, odd: the ender's
  on_threads(world, [&](unsigned t, base::thread_context&) {
    if (t > 1) return;
    for (int r = 0; r < rounds; ++r) {
      spin_until([&] { return turn.load(std::memory_order_acquire) == 2 * r + static_cast<int>(t); });
      for (auto& e : handed)
        if (t == 0) e = user_event::create();
        else e.trigger();
      turn.fetch_add(1, std::memory_order_release);
    }
  });
  const auto n = current_event_statistics();
  CHECK(n.created == rounds * batch);
  CHECK(n.untriggered == 0);
  CHECK(n.slots <= 6 * 64);
}

TEST_CASE("if two threads end one event, one succeeds and the other gets an error") {
  event_world world;
  member here(world);
  constexpr int rounds = 2'000;
  std::vector<user_event> events, before;
  for (int i = 0; i < rounds; ++i) {
    events.push_back(user_event::create());
    before.push_back(user_event::create());
  }
  std::vector<std::atomic<int>> refused(rounds);
  std::barrier step(threads);
  on_threads(world, [&](unsigned t, base::thread_context&) {
    for (int i = 0; i < rounds; ++i) {
      step.arrive_and_wait();
      const auto said = message_of([&] {
        if (t == 0) before[i].trigger();
        else if (t == 1) events[i].trigger();
        else if (t == 2) events[i].trigger(before[i]);
        else events[i].poison(trouble("late"));
      });
      if (!said.empty()) ++refused[i];
    }
  });
  for (int i = 0; i < rounds; ++i) {
    CHECK(events[i].has_triggered());
    CHECK(refused[i] >= 1);  // a plain trigger may come after a deferred one was accepted
    CHECK(refused[i] <= 2);
  }
  for (int i = 0; i < 10'000; ++i) {  // the free lists are sound
    const auto a = user_event::create(), b = user_event::create();
    b.trigger(a);
    a.trigger();
    REQUIRE(b.has_triggered());
  }
}

namespace {
struct sum_of_numbers {
  using value_type = std::uint64_t;
  static std::uint64_t identity() { return 0; }
  static void apply(std::uint64_t& into, const std::uint64_t& value) { into += value; }
};
}  // namespace

TEST_CASE("a barrier separates the phases of several threads and reduces their values") {
  event_world world;
  member here(world);
  constexpr std::uint64_t phases = 300;
  for (unsigned seed = 0; seed < seeds() / 4; ++seed) {
    const auto first = reducing_barrier<sum_of_numbers>::create(threads);
    std::uint64_t plain[threads] = {};  // guarded by the barrier alone
    std::atomic<int> wrong{0};
    on_threads(world, [&](unsigned t, base::thread_context&) {
      std::mt19937 random(seed * threads + t);
      auto b = first;
      for (std::uint64_t phase = 0; phase < phases; ++phase, b = b.advance()) {
        plain[t] = phase;
        switch (random() % 3) {
          case 0: b.arrive_with(phase + t); break;
          case 1: {
            const auto go = user_event::create();
            b.arrive_with(phase + t, after(go));
            go.trigger();
            break;
          }
          case 2: {
            const event e = b.event();
            b.arrive_with(phase + t);
            spin_until([&] { return e.has_triggered(); });
            break;
          }
        }
        spin_until([&] { return b.has_triggered(); });
        for (auto p : plain) wrong += p != phase;
        wrong += b.result() != threads * phase + threads * (threads - 1) / 2;
        b = b.advance();
        b.arrive();
        spin_until([&] { return b.has_triggered(); });
      }
    });
    CHECK(wrong == 0);
    first.destroy();
  }
}

TEST_CASE("threads run ahead of a barrier with poison, alterations and events") {
  event_world world;
  member here(world);
  constexpr int phases = 200;
  for (unsigned seed = 0; seed < seeds() / 4; ++seed) {
    const auto first = barrier::create(threads);
    std::vector<barrier> all{first};
    for (int i = 1; i < phases; ++i) all.push_back(all.back().advance());
    std::vector<event> asked(threads * phases);
    on_threads(world, [&](unsigned t, base::thread_context&) {
      std::mt19937 random(seed * threads + t);
      for (int i = 0; i < phases; ++i) {
        asked[t * phases + i] = all[i];
        if (random() % 4 == 0 && i + 1 < phases) {  // one more arrival, by the thread that raised the count
          all[i].alter_arrival_count(+1);
          if (i + 1 < phases) all[i + 1].alter_arrival_count(-1);
          all[i].arrive();
        }
        if (i % 7 == static_cast<int>(t)) {
          const auto bad = user_event::create();
          all[i].arrive(bad);
          bad.poison(trouble(std::to_string(i)));
        } else {
          all[i].arrive();
        }
      }
    });
    for (int i = 0; i < phases; ++i) {
      const bool poisoned = i % 7 < static_cast<int>(threads);
      CHECK(words_of_cause(all[i]) == (poisoned ? std::to_string(i) : ""));
      for (unsigned t = 0; t < threads; ++t) CHECK(asked[t * phases + i].has_triggered());
    }
    first.destroy();
  }
  CHECK(current_event_statistics().untriggered == 0);
}

TEST_CASE("a reservation excludes several threads and carries its payload between them") {
  event_world world;
  member here(world);
  const auto r = reservation::create({.payload_bytes = 64});
  constexpr int each = 2'000;
  on_threads(world, [&](unsigned t, base::thread_context&) {
    std::mt19937 random(t);
    auto& counter = r.payload_as<std::uint64_t>();
    for (int i = 0; i < each; ++i) {
      if (random() % 4 == 0) {
        spin_until([&] { return r.try_acquire(); });
        ++counter;
        r.release();
      } else if (random() % 2) {
        const event grant = r.acquire();
        spin_until([&] { return grant.has_triggered(); });
        ++counter;
        r.release();
      } else {
        const auto go = user_event::create(), done = user_event::create();
        const event grant = r.acquire(go);
        r.release(done);
        go.trigger();
        spin_until([&] { return grant.has_triggered(); });
        ++counter;
        done.trigger();
      }
    }
  });
  CHECK(r.try_acquire());
  CHECK(r.payload_as<std::uint64_t>() == threads * each);
  r.release();
  CHECK(current_event_statistics().untriggered == 0);
}

TEST_CASE("poisoned acquires among several threads neither leak nor steal holds") {
  event_world world;
  member here(world);
  const auto r = reservation::create({.payload_bytes = 8});
  std::atomic<std::uint64_t> good{0};
  std::atomic<int> wrong{0};
  on_threads(world, [&](unsigned t, base::thread_context&) {
    std::mt19937 random(t);
    for (int i = 0; i < 1'000; ++i) {
      const auto go = user_event::create(), worked = user_event::create();
      const event grant = r.acquire(go);
      const event released = r.release(worked);
      if (random() % 3 == 0) {
        go.poison(trouble("no"));
        worked.trigger(grant);
      } else {
        go.trigger();
        spin_until([&] { return grant.has_triggered(); });
        ++r.payload_as<std::uint64_t>();
        ++good;
        if (random() % 4) worked.trigger();
        else worked.poison(trouble("work failed"));
      }
      spin_until([&] { return released.has_triggered(); });
      wrong += released.is_poisoned();
    }
  });
  CHECK(wrong == 0);
  CHECK(r.try_acquire());
  CHECK(r.payload_as<std::uint64_t>() == good);
  r.release();
}

TEST_CASE("several threads add to, end and pop one completion queue, and nothing is lost or seen twice") {
  event_world world;
  member here(world);
  const auto q = completion_queue::create();
  constexpr std::size_t each = 2'000;
  std::vector<user_event> events;
  for (std::size_t i = 0; i < threads * each; ++i) events.push_back(user_event::create());
  std::vector<std::vector<event>> popped(threads);
  std::atomic<std::size_t> total{0};
  on_threads(world, [&](unsigned t, base::thread_context&) {
    std::vector<completion_queue::entry> some(16);
    for (std::size_t i = 0; i < each || total < events.size();) {
      if (i < each) {
        q.add(events[t * each + i]);
        events[(t + 1) % threads * each + i].trigger();
        ++i;
      } else {
        const event more = q.nonempty();
        spin_until([&] { return more.has_triggered() || total >= events.size(); });
      }
      const std::size_t n = q.pop(std::span(some));
      for (std::size_t k = 0; k < n; ++k) popped[t].push_back(some[k].which);
      total += n;
    }
  });
  std::set<std::uint64_t> seen;
  for (auto& p : popped)
    for (auto e : p) CHECK(seen.insert(e.raw()).second);
  CHECK(seen.size() == events.size());
}
