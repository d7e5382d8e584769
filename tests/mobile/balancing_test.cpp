// Balancing rounds: their tables, their moves, and that they end while messages are under way and nodes fail.
#include <doctest/doctest.h>

#include <stretto/balancing.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "eventually.hpp"
#include "mobile/all_on.hpp"
#include "mobile/node_failures.hpp"
#include "mobile/random_migration.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using namespace test;

struct stone {
  double weight = 1;

  stone() = default;
  explicit stone(std::size_t index) : weight(double(index + 1)) {}
  void carve(double by) { weight -= by; }
  double load_hint() const { return weight; }
  std::uint32_t where() const { return this_node(); }
};

TEST_CASE("a round moves the objects that its balancer names, and reports the result") {
  for (const std::uint32_t nodes : {1u, 2u, 4u})
    on_all_nodes({.nodes = nodes, .seed = nodes}, 2, [&](runtime&) {
      if (this_node() != 0) return;
      const auto stones = make_collection<stone>(all_on(nodes - 1), 16);
      broadcast(stones, call<&stone::carve>(0.0)).get();
      const balance_report r = balance(stones, by_hints(balancers::greedy{})).get();
      if (!migrates_at_random()) CHECK(r.objects == 16);
      CHECK(r.silent == 0);
      CHECK(r.moved == r.moves);
      if (migrates_at_random()) return;
      if (nodes > 1) CHECK(r.moves > 0);
      std::vector<double> weights(nodes);
      for (std::size_t i = 0; i < stones.size(); ++i)
        weights[send(stones[i], call<&stone::where>()).get()] += double(i + 1);
      for (const double w : weights) CHECK(w <= 136.0 / nodes + 16);
      if (nodes > 1) CHECK(balance(stones, by_hints(balancers::none{})).get().moves == 0);
    });
}

TEST_CASE("a load table has the hints of objects and their migration sizes, wherever they are") {
  if (migrates_at_random()) return;
  on_all_nodes({.nodes = 3}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    const auto stones = make_collection<stone>(6);
    const auto alone = make_mobile<stone>(at_node(1), std::size_t{99});
    broadcast(stones, call<&stone::carve>(0.0)).get();  // all are made then: one still being made has a hint of 1
    send(stones[5], call<&stone::carve>(0.5)).get();
    migrate(stones[5], at_node(0)).get();
    load_table seen;
    const auto look = [&seen](const load_table& t) {
      seen = t;
      return object_moves();
    };
    balance(stones, look).get();
    REQUIRE(seen.objects.size() == 6);
    REQUIRE(seen.nodes.size() == 3);
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(seen.objects[i].id == i);
      CHECK(seen.objects[i].hint == (i == 5 ? 5.5 : double(i + 1)));
      CHECK(seen.objects[i].bytes == sizeof(stone));
      CHECK(seen.objects[i].node == (i == 5 ? 0 : i / 2));
    }
    for (const auto& n : seen.nodes) CHECK(n.speed == 1);
    balance(look).get();
    CHECK(seen.objects.size() == 7);
    destroy(alone).get();
    balance(look).get();
    CHECK(seen.objects.size() == 6);
    balance(collection<stone>(), look).get();
    CHECK(seen.objects.empty());
  });
}

struct worker_of_time {
  explicit worker_of_time(std::size_t = 0) {}
  void work(std::uint32_t milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (std::chrono::steady_clock::now() < end) {
    }
  }
  /// Returns the seconds from `begun` to the end.
  double wait_for(event e, user_event begun) {
    const auto since = std::chrono::steady_clock::now();
    begun.trigger();
    wait(e);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  }
  void pass() {}
};

constexpr double measured = 0.999;  // loads are measured in ticks of another clock than the work

TEST_CASE("handler time is measured without waiting time, and the time of other objects is background") {
  if (migrates_at_random()) return;
  for (const unsigned variant : {0u, 1u, 2u, 3u}) {
    const bool near = variant % 2 == 0;
    const unsigned workers = 1 + variant / 2;
    CAPTURE(near);
    CAPTURE(workers);
    on_all_nodes({.nodes = 2}, workers, [&](runtime&) {
      if (this_node() != 0) return;
      measure_loads().get();
      const auto place = all_on(near ? 0 : 1);
      const auto all = make_collection<worker_of_time>(place, 3), others = make_collection<worker_of_time>(place, 1);
      const auto e = user_event::create(), begun = user_event::create();
      future<double> from_begin_to_end;
      finish([&] {
        from_begin_to_end = send(all[0], call<&worker_of_time::wait_for>(event(e), begun));
        wait(begun);
        send(all[1], call<&worker_of_time::work>(40u)).get();
        send(others[0], call<&worker_of_time::work>(20u)).get();
        e.trigger();
      });
      // A handler may reply before its time is recorded, but the next one of the object runs after that.
      send(all[1], call<&worker_of_time::pass>()).get();
      send(others[0], call<&worker_of_time::pass>()).get();
      load_table seen;
      const balancer look = [&seen](const load_table& t) {
        seen = t;
        return object_moves();
      };
      const auto background = [&] {
        double sum = 0;
        for (const auto& n : seen.nodes) sum += n.background;
        return sum;
      };
      const double load = balance(all, look).get().seconds;
      CHECK(seen.objects[1].seconds >= 0.04 * measured);
      // The only worker of a node has left the first handler when the others work.
      if (workers == 1) CHECK(seen.objects[0].seconds < from_begin_to_end.get());
      CHECK(seen.objects[2].seconds == 0);
      CHECK(load >= 0.04 * measured);
      CHECK(background() >= 0.02 * measured);
      // A round has no load of before the last one, once all handlers have recorded theirs.
      const auto has_no_load = [&] {
        balance(all, look).get();
        return seen.objects[0].seconds == 0 && seen.objects[1].seconds == 0 && background() == 0;
      };
      CHECK(eventually(has_no_load, [] {}));
      balance(others, look).get();
      CHECK(seen.objects[0].seconds >= 0.02 * measured);
      // Its load since then is sent along when it moves.
      send(all[1], call<&worker_of_time::work>(5u)).get();
      migrate(all[1], at_node(near ? 1 : 0)).get();
      balance(all, look).get();
      CHECK(seen.objects[1].seconds >= 0.005 * measured);
    });
  }
}

TEST_CASE("a balancer that throws, or returns wrong moves, fails the round, and nothing moves") {
  on_all_nodes({.nodes = 2}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    const auto stones = make_collection<stone>(all_on(0), 4);
    broadcast(stones, call<&stone::carve>(0.0)).get();
    const auto clueless = [](const load_table&) -> object_moves { throw std::runtime_error("no idea"); };
    const auto wild = [](const load_table&) { return object_moves{{0, 1}, {1, 2}}; };
    CHECK(test::thrown_by([&] { balance(stones, clueless).get(); }).find("no idea") != std::string::npos);
    CHECK(test::thrown_by([&] { balance(stones, wild).get(); }).find("G05") != std::string::npos);
    if (!migrates_at_random())
      for (std::size_t i = 0; i < 4; ++i) CHECK(is_here(stones[i]));
  });
}

/// Sets STRETTO_... for runtimes that are made while this object lives.
class told {
 public:
  told(const char* name, const char* value) : name_(name) {
    if (const char* const asked = std::getenv(name)) before_ = asked;
    setenv(name, value, 1);
  }
  ~told() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }

 private:
  const char* name_;
  std::string before_;
};

TEST_CASE("with the option `balance`, objects migrate by themselves to nodes that have time") {
  for (const char* policy : {"greedy", "refine", "diffusion", "stealing"}) {
    CAPTURE(policy);
    const told by("STRETTO_BALANCE", policy), each("STRETTO_TEST_BALANCE_MS", "2");
    on_all_nodes({.nodes = 3}, 1, [](runtime&) {
      if (this_node() != 0) return;
      const auto all = make_collection<worker_of_time>(all_on(0), 12);
      std::size_t away = 0;
      CHECK(eventually([&] { return away > 0; },
                       [&] {
                         finish([&] { broadcast(all, call<&worker_of_time::work>(1u)); });
                         for (std::size_t o = 0; o < all.size(); ++o) away += !is_here(all[o]);
                       }));
    });
  }
}

/// Decides by ids and hints, which are the same in every run of a seed, not by measured time.
balancer drawn(std::mt19937_64& random) {
  switch (random() % 5) {
    case 0: return by_hints(balancers::greedy{});
    case 1: return by_hints(balancers::refine{.tolerance = 1});
    case 2: return by_hints(balancers::diffusion{});
    case 3: return by_hints(balancers::stealing{.idle_below = 0.9});
    default:
      return [seed = random()](const load_table& t) {
        std::mt19937_64 draw(seed);
        object_moves m;
        for (std::size_t i = 0; i < t.objects.size(); ++i)
          if (draw() % 2) m.push_back({i, std::uint32_t(draw() % t.nodes.size())});
        return m;
      };
  }
}
void balance_some(trial& t) {
  const std::uint32_t node = t.draw();
  t.on(node, [&] {
    if (t.sent.as_one.size() && t.random() % 2)
      t.keep(node, async(after(balance(t.sent.as_one, drawn(t.random))), [] {}));
    else t.keep(node, async(after(balance(drawn(t.random))), [] {}));
  });
}

TEST_CASE("random programs with balancing: each message is handled once, in order, and every round ends") {
  for (std::uint64_t seed = 1; seed <= scaled_of_one_thread<std::uint64_t>(15, 2'000); ++seed) {
    CAPTURE(seed);
    lose_at_random(seed, seed % 2 ? trial::made::as_a_collection : trial::made::one_by_one, false, 16, balance_some);
  }
}

TEST_CASE("random programs with balancing, failing nodes and cut links: every round ends") {
  for (std::uint64_t seed = 1; seed <= scaled_of_one_thread<std::uint64_t>(15, 2'000); ++seed) {
    CAPTURE(seed);
    lose_at_random(seed + 50'000, seed % 2 ? trial::made::as_a_collection : trial::made::one_by_one, true, 16,
                   balance_some);
  }
}

TEST_CASE("threads of many nodes send while every node balances") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(4, 200); ++seed) {
    CAPTURE(seed);
    const std::uint32_t nodes = 2 + std::uint32_t(seed % 3), objects = 8;
    const simulated_job job({.nodes = nodes, .seed = seed, .jitter_seconds = seed % 2 ? 2e-6 : 1e-5});
    model sent(nodes);
    of_all = &sent;
    std::atomic<std::uint32_t> ready{0}, through{0};
    on_all_nodes(
        {}, 2,
        [&](runtime&) {
          const std::uint32_t me = this_node();
          if (me == 0) {
            sent.as_one = make_collection<book>(objects, std::string());
            for (std::uint32_t o = 0; o < objects; ++o) sent.objects.push_back(sent.as_one[o]);
          }
          ++ready;
          while (ready < nodes) yield();
          finish([&] {
            async([&] {
              std::mt19937_64 random(seed * 100 + me);
              for (int i = 0; i < 6; ++i) {
                const balance_report r = balance(sent.as_one, i % 2 ? drawn(random) : balancers::refine{}).get();
                CHECK(r.moved == r.moves);
                CHECK(r.silent == 0);
              }
            });
            async([&] {
              std::mt19937_64 random(seed * 1000 + me);
              for (int i = 0; i < 60; ++i) {
                const auto o = std::uint32_t(random() % objects);
                if (random() % 4) send_line(o, random() % 2);
                else send_chain(o, 6);
                if (i % 7 == 0) yield();
              }
            });
          });
          ++through;
          while (through < nodes) yield();
          if (me) return;
          for (std::uint32_t o = 0; o < objects; ++o) {
            auto counts = check_book(send(sent.objects[o], call<&read_all>()).get());
            for (std::uint32_t n = 0; n < nodes; ++n) CHECK(counts[n] == sent.sent_by(n, o));
          }
          CHECK(sent.disturbed == 0);
        },
        &job);
    of_all = nullptr;
  }
}

}  // namespace
}  // namespace stretto
