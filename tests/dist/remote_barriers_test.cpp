// Barriers of other nodes: one fact at a time, then random programs against sums: stepped, with deaths, and threaded.
#include <doctest/doctest.h>

#include <stretto/barrier.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "campaign.hpp"
#include "dist/cluster.hpp"

using namespace stretto;
using namespace stretto::testing;

namespace {

struct sum {
  using value_type = long;
  static long identity() { return 0; }
  static void apply(long& into, const long& value) { into += value; }
};
using sums = reducing_barrier<sum>;

struct some_nodes : cluster {
  std::mt19937_64 random;
  explicit some_nodes(std::uint32_t nodes, std::uint64_t seed = 1)
      : cluster({.nodes = nodes, .seed = seed}), random(seed) {}
  void settle() { cluster::settle(random); }
  template <class B>
  bool has_triggered(std::size_t n, const B& b) {
    return on(n, [&] { return b.has_triggered(); });
  }
  std::string cause(std::size_t n, event e) {
    return on(n, [&] { return words_of_cause(e); });
  }
};

sums advanced(sums b, std::uint64_t phases) {
  while (phases-- > 0) b = b.advance();
  return b;
}

}  // namespace

TEST_SUITE_BEGIN("dist");

TEST_CASE("arrivals of all nodes end a phase, and all of them see its value") {
  some_nodes all(5);
  auto b = all.on(2, [] { return sums::create(5); });
  for (long phase = 0; phase < 20; ++phase, b = b.advance()) {
    std::vector<event> ends;
    for (std::size_t n = 0; n < 5; ++n) {
      ends.push_back(all.on(n, [&] { return b.event(); }));
      all.settle();
      CHECK_FALSE(all.has_triggered(n, b));
      all.on(n, [&] { b.arrive_with(100 * phase + static_cast<long>(n)); });
      all.settle();
    }
    for (std::size_t n = 0; n < 5; ++n) {
      CHECK(all.has_triggered(n, ends[n]));
      CHECK(all.has_triggered(n, b));
      CHECK(all.on(n, [&] { return b.result().value(); }) == 500 * phase + 10);
    }
  }
}

TEST_CASE("a phase costs a node that arrives and waits two messages, once it has done so before") {
  some_nodes all(8);
  auto b = all.on(0, [] { return barrier::create(8); });
  for (int phase = 0; phase < 10; ++phase, b = b.advance()) {
    const auto before = all.messages();
    std::vector<event> ends;
    for (std::size_t n = 0; n < 8; ++n) {
      all.on(n, [&] { b.arrive(); });
      ends.push_back(all.on(n, [&] { return b.event(); }));
    }
    all.settle();
    for (std::size_t n = 0; n < 8; ++n) CHECK(all.has_triggered(n, ends[n]));
    CHECK(all.messages() - before <= (phase == 0 ? 3u : 2u) * 7);
  }
}

TEST_CASE("a poisoned arrival of another node counts, and poisons its phase only, on all nodes") {
  some_nodes all(3);
  const auto b = all.on(0, [] { return barrier::create(2); });
  const event bad = all.on(2, [] { return user_event::create(); });
  all.on(1, [&] {
    b.arrive(bad);
    b.advance().arrive(2);
  });
  all.on(2, [&] { as_user(bad).poison(trouble("bad")); });
  const event first = all.on(1, [&] { return b.event(); }), second = all.on(1, [&] { return b.advance().event(); });
  all.settle();
  CHECK_FALSE(all.has_triggered(1, second));
  all.on(0, [&] { b.arrive(); });
  all.settle();
  CHECK(all.cause(1, first) == "bad (on N2)");
  CHECK(all.cause(1, second) == "");
  CHECK(all.has_triggered(1, second));
  const event late = all.on(2, [&] { return b.event(); });
  all.settle();
  CHECK(all.cause(2, late) == "bad");
  CHECK(all.cause(0, all.on(0, [&] { return b.event(); })) == "bad (on N2)");
}

TEST_CASE("another node alters the arrival count, and dependent arrivals come after that") {
  some_nodes all(3);
  const auto b = all.on(0, [] { return barrier::create(1); });
  const event altered = all.on(1, [&] { return b.alter_arrival_count(2); });
  all.on(2, [&] { b.arrive(altered); });
  all.settle();
  CHECK(all.has_triggered(1, altered));
  all.on(1, [&] { b.arrive(); });
  all.settle();
  CHECK_FALSE(all.has_triggered(0, b));
  all.on(0, [&] { b.arrive(); });
  CHECK(all.has_triggered(0, b));
  const event refused = all.on(1, [&] { return b.alter_arrival_count(1); });
  all.settle();
  CHECK(contains(all.cause(1, refused), "error E24"));
  CHECK(all[1].reports.size() == 1);
}

TEST_CASE("an arrival whose value is shorter than the values of the barrier disconnects its sender") {
  some_nodes all(2);
  const auto b = all.on(0, [] { return sums::create(2); });
  const detail::barrier_id id{std::bit_cast<std::array<std::uint64_t, 2>>(b).front()};
  all.on(1, [&] { all[1].job.send(0, dist::barrier_arrival{.barrier = id, .count = 1, .value = {std::byte{1}}}); });
  all.settle();
  CHECK(all[0].job.is_lost(1));
  CHECK(all[1].job.is_lost(0));
}

TEST_CASE("one arrival too many of another node is refused there, with its line") {
  some_nodes all(2);
  const auto b = all.on(0, [] { return barrier::create(1); });
  const std::string line = line_of();
  all.on(1, [&] { b.advance().arrive(2); });
  all.settle();
  REQUIRE(all[1].reports.size() == 1);
  CHECK(contains(all[1].reports[0], "error E21"));
  CHECK(contains(all[1].reports[0], "arrived     " + line.substr(0, line.find(':') + 1) +
                                        std::to_string(std::stoi(line.substr(line.find(':') + 1)) + 1)));
}

TEST_CASE("a destroyed barrier poisons its waiters on every node, and no record of it is kept") {
  for (const std::size_t destroyer : {0, 1}) {
    some_nodes all(3);
    const auto b = all.on(0, [] { return barrier::create(2); });
    const event one = all.on(1, [&] { return b.event(); }), two = all.on(2, [&] { return b.advance().event(); });
    all.on(2, [&] { b.arrive(); });
    all.settle();
    all.on(destroyer, [&] { b.destroy(); });
    all.settle();
    CHECK(contains(all.cause(1, one), "error E25"));
    CHECK(contains(all.cause(2, two), "error E25"));
    for (std::size_t n = 0; n < 3; ++n) CHECK(all[n].barriers.records() == 0);
    const event late = all.on(2, [&] { return b.event(); });
    all.on(1, [&] { b.arrive(); });
    all.settle();
    CHECK(contains(all.cause(2, late), "error E22"));
    REQUIRE(all[1].reports.size() == 1);
    CHECK(contains(all[1].reports[0], "error E22"));
  }
}

TEST_CASE("a barrier is lost with its owner, and with a node that has arrived at it") {
  for (const std::size_t killed : {0, 1, 3}) {
    some_nodes all(4);
    const auto b = all.on(0, [] { return barrier::create(3); });
    all.on(1, [&] { b.arrive(); });
    const event waits = all.on(2, [&] { return b.event(); });
    const event local = all.on(0, [&] { return b.event(); });
    all.settle();
    all.kill(killed);
    all.settle();
    const bool is_lost = killed != 3;
    CHECK(all.has_triggered(2, waits) == is_lost);
    if (is_lost) CHECK(contains(all.cause(2, waits), "error N05: node N" + std::to_string(killed)));
    if (killed == 1) {
      CHECK(contains(all.cause(0, local), "error N05"));
      CHECK(contains(all.cause(0, all.on(0, [&] { return b.advance().event(); })), "error N05"));
    }
    const event later = all.on(2, [&] { return b.advance().event(); });
    all.settle();
    CHECK(all.has_triggered(2, later) == is_lost);
  }
}

namespace {

/// One arrival: its node, phase and value.
struct arrival {
  std::size_t node;
  std::uint64_t phase;
  std::uint32_t count;
  long value;  // 0: none
  bool is_poisoned, is_late;
};

struct plan {
  std::uint32_t expected;
  std::uint64_t phases;
  std::vector<arrival> all;
  std::vector<long> sums;
  std::vector<bool> poisoned;

  plan(std::mt19937_64& random, std::size_t nodes) {
    expected = 1 + static_cast<std::uint32_t>(random() % 6);
    phases = 1 + random() % 14;
    sums.resize(phases);
    poisoned.resize(phases);
    for (std::uint64_t phase = 0; phase < phases; ++phase)
      for (std::uint32_t left = expected; left > 0;) {
        const auto count = 1 + static_cast<std::uint32_t>(random() % left);
        left -= count;
        const bool fails = random() % 12 == 0;
        const long value = random() % 3 ? static_cast<long>(random() % 1000) : 0;
        all.push_back({random() % nodes, phase, count, value, fails, fails || random() % 2});
        if (fails) poisoned[phase] = true;
        else sums[phase] += value;
      }
    // Mostly in order, with some arrivals ahead of their phase.
    for (std::size_t i = 0; i < all.size(); ++i)
      std::swap(all[i], all[i + random() % std::min<std::size_t>(all.size() - i, 5)]);
  }
};

}  // namespace

TEST_CASE("random programs of arrivals on many nodes: every phase ends in order, with its sum or a cause") {
  for (std::uint64_t seed = 0; seed < test::scaled_of_one_thread<std::uint64_t>(150, 6'000); ++seed) {
    CAPTURE(seed);
    some_nodes all(1 + static_cast<std::uint32_t>(seed * 7 % (seed % 16 < 15 ? 13 : 64)), seed);
    auto& random = all.random;
    const plan p(random, all.size());
    const auto b = all.on(random() % all.size(), [&] { return sums::create(p.expected); });
    struct asked {
      std::size_t node;
      std::uint64_t phase;
      event e;
    };
    std::vector<asked> watched;
    std::vector<event> to_end;
    std::vector<bool> to_fail;
    for (const arrival& a : p.all) {
      const auto at = advanced(b, a.phase);
      event when;
      if (a.is_late) {
        when = all.on(random() % all.size(), [] { return user_event::create(); });
        to_end.push_back(when);
        to_fail.push_back(a.is_poisoned);
      }
      all.on(a.node, [&] {
        if (a.value) at.arrive_with(a.value, after(when), a.count);
        else at.arrive(when, a.count);
      });
      for (auto k = random() % 3; k > 0; --k) {
        const auto n = random() % all.size(), phase = random() % p.phases;
        watched.push_back({n, phase, all.on(n, [&] { return advanced(b, phase).event(); })});
      }
      for (auto k = random() % 4; k > 0 && !to_end.empty(); --k) {
        const auto i = random() % to_end.size();
        const event e = std::exchange(to_end[i], event());
        if (e != event())
          all.on(random() % all.size(), [&] { to_fail[i] ? as_user(e).poison(trouble("no")) : as_user(e).trigger(); });
      }
      for (auto k = random() % 12; k > 0; --k) all.poll(random() % all.size());
      const auto n = random() % all.size(), phase = random() % p.phases;
      if (all.has_triggered(n, advanced(b, phase)))
        for (std::uint64_t earlier = 0; earlier < phase; ++earlier) REQUIRE(all.has_triggered(n, advanced(b, earlier)));
    }
    for (std::size_t i = 0; i < to_end.size(); ++i)
      if (const event e = to_end[i]; e != event())
        all.on(random() % all.size(), [&] { to_fail[i] ? as_user(e).poison(trouble("no")) : as_user(e).trigger(); });
    all.settle();
    for (const auto& w : watched) {
      REQUIRE(all.has_triggered(w.node, w.e));
      REQUIRE(all.cause(w.node, w.e).starts_with("no") == p.poisoned[w.phase]);
    }
    const auto n = random() % all.size();
    const auto last = advanced(b, p.phases - 1);
    all.has_triggered(n, last);
    all.settle();
    REQUIRE(all.has_triggered(n, last));
    for (std::uint64_t phase = p.phases > 8 ? p.phases - 8 : 0; phase < p.phases; ++phase)
      all.on(n, [&] {
        const auto at = advanced(b, phase);
        if (p.poisoned[phase]) REQUIRE(message_of([&] { at.result(); }).starts_with("no"));
        else REQUIRE(at.result().value() == p.sums[phase]);
      });
    for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(all[i].reports.empty());
  }
}

TEST_CASE("if nodes die, every wait for a phase ends") {
  for (std::uint64_t seed = 0; seed < test::scaled_of_one_thread<std::uint64_t>(100, 4'000); ++seed) {
    CAPTURE(seed);
    some_nodes all(2 + static_cast<std::uint32_t>(seed % 25 < 24 ? seed % 6 : 62 - seed % 50), seed);
    auto& random = all.random;
    const plan p(random, all.size());
    const auto b = all.on(random() % all.size(), [&] { return sums::create(p.expected); });
    const auto dies = random() % all.size(), dies_at = random() % p.all.size();
    std::vector<std::pair<std::size_t, event>> watched;
    bool has_arrived = false;
    for (std::size_t i = 0; i < p.all.size(); ++i) {
      const arrival& a = p.all[i];
      if (i == dies_at) all.kill(dies);
      if (all[a.node].is_dead) continue;
      has_arrived = has_arrived || a.node == dies;
      all.on(a.node, [&] { advanced(b, a.phase).arrive_with(a.value, a.count); });
      auto n = random() % all.size();
      if (!all[n].is_dead) watched.emplace_back(n, all.on(n, [&] { return advanced(b, random() % p.phases).event(); }));
      for (auto k = random() % 12; k > 0; --k) all.poll(random() % all.size());
    }
    all.settle();
    // If the barrier survives, it never got the dead node's arrivals; another node arrives in its place.
    for (const arrival& a : p.all)
      if (a.node == dies)
        all.on((dies + 1) % all.size(),
               [&] { message_of([&] { advanced(b, a.phase).arrive_with(a.value, a.count); }); });
    all.settle();
    for (const auto& [n, e] : watched) {
      if (all[n].is_dead) continue;
      REQUIRE(all.has_triggered(n, e));
      const std::string why = all.cause(n, e);
      REQUIRE((why.empty() || contains(why, "error N05")));
    }
  }
}

TEST_CASE("threads of many nodes meet at barriers") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(6, 150); ++seed) {
    CAPTURE(seed);
    const std::uint32_t node_count = 1 + static_cast<std::uint32_t>(seed % 4);
    const unsigned threads = 1 + static_cast<unsigned>(seed / 4 % 3);
    cluster nodes({.nodes = node_count, .seed = seed});
    const auto first = nodes.on(0, [&] { return sums::create(node_count * threads); });
    std::vector<std::jthread> running;
    std::atomic<std::size_t> done{0}, wrong{0};
    for (std::size_t n = 0; n < node_count; ++n)
      for (unsigned t = 0; t < threads; ++t)
        running.emplace_back([&, n, t] {
          member here(nodes[n].world, t + 1);
          const auto until = [&](auto&& f) {
            while (!f()) {
              if (t == 0) nodes[n].job.poll();
              std::this_thread::yield();
            }
          };
          auto b = first;
          for (long phase = 0; phase < 12; ++phase, b = b.advance()) {
            b.arrive_with(phase);
            if (phase % 2) {
              const event e = b.event();
              until([&] { return e.has_triggered(); });
            }
            until([&] { return b.has_triggered(); });
            if (b.result().value_or(-1) != phase * static_cast<long>(node_count * threads)) ++wrong;
          }
          ++done;
          until([&] { return done == node_count * threads; });
        });
    running.clear();
    REQUIRE(wrong == 0);
    for (std::size_t n = 0; n < node_count; ++n) REQUIRE(nodes[n].reports.empty());
  }
}

TEST_SUITE_END();
