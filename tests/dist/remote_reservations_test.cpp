// Reservations of other nodes: one fact at a time, then random programs with a counter in the payload, stepped and
// threaded.
#include <doctest/doctest.h>

#include <stretto/reservation.hpp>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "base/config.hpp"
#include "campaign.hpp"
#include "dist/cluster.hpp"

using namespace stretto;
using namespace stretto::testing;

namespace {

struct borrowing_nodes : cluster {
  std::mt19937_64 random;
  explicit borrowing_nodes(std::uint32_t nodes, std::uint64_t seed = 1)
      : cluster({.nodes = nodes, .seed = seed}), random(seed) {}
  void settle() { cluster::settle(random); }
  bool has_triggered(std::size_t n, event e) {
    return on(n, [&] { return e.has_triggered(); });
  }
  std::string cause(std::size_t n, event e) {
    return on(n, [&] { return words_of_cause(e); });
  }
  event acquire(std::size_t n, reservation r) {
    return on(n, [&] { return r.acquire(); });
  }
  event share(std::size_t n, reservation r) {
    return on(n, [&] { return r.acquire(shared); });
  }
  event release(std::size_t n, reservation r) {
    return on(n, [&] { return r.release(); });
  }
};

}  // namespace

TEST_SUITE_BEGIN("dist");

TEST_CASE("a reservation migrates to the node that acquires it, with its payload") {
  borrowing_nodes all(3);
  const auto r = all.on(0, [] { return reservation::create({.payload_bytes = sizeof(int)}); });
  for (int round = 0; round < 9; ++round) {
    const std::size_t n = static_cast<std::size_t>(round) % 3;
    const event g = all.acquire(n, r);
    all.settle();
    CHECK(all.has_triggered(n, g));
    all.on(n, [&] { CHECK(r.payload_as<int>()++ == round); });
    all.release(n, r);
  }
}

TEST_CASE("the node that has the reservation grants it without a message; another node needs three at most") {
  borrowing_nodes all(4);
  const auto r = all.on(0, [] { return reservation::create(); });
  all.acquire(2, r);
  all.settle();
  CHECK(all.messages() == 2);  // want, state: home had the reservation
  for (int i = 0; i < 10; ++i) {
    all.release(2, r);
    CHECK(all.on(2, [&] { return r.try_acquire(); }));
  }
  CHECK(all.messages() == 2);
  all.release(2, r);
  const event third = all.acquire(3, r);
  all.settle();
  CHECK(all.has_triggered(3, third));
  CHECK(all.messages() == 5);  // want, recall, state
}

TEST_CASE("a queue of nodes is served in order, each for three messages at most") {
  for (const std::size_t nodes : {16, base::thread_sanitizer ? 64 : 256}) {
    borrowing_nodes all(nodes);
    const auto r = all.on(5, [] { return reservation::create(); });
    all.acquire(5, r);
    std::vector<event> grants;
    for (std::size_t n = 0; n < nodes; ++n) {
      grants.push_back(all.acquire(n, r));
      all.settle();
    }
    std::size_t at = 5;  // the holder
    std::vector<bool> was(nodes);
    for (std::size_t served = 0; served < nodes; ++served) {
      all.release(at, r);
      all.settle();
      std::size_t now = nodes;
      for (std::size_t n = 0; n < nodes; ++n)
        if (!was[n] && all.has_triggered(n, grants[n])) {
          CHECK(now == nodes);
          now = n;
        }
      REQUIRE(now < nodes);
      was[now] = true;
      at = now;
    }
    CHECK(all.messages() <= 3 * nodes);
  }
}

TEST_CASE("a node that waits is served after at most `fairness` grants of the node that has it") {
  for (const std::uint32_t fairness : {0u, 1u, 5u}) {
    borrowing_nodes all(2);
    const auto r = all.on(0, [&] { return reservation::create({.fairness = fairness}); });
    for (const std::size_t here : {0, 1}) {
      const std::size_t there = 1 - here;
      const event held = all.acquire(here, r);
      all.settle();
      REQUIRE(all.has_triggered(here, held));
      std::vector<event> local;
      for (int i = 0; i < 20; ++i) local.push_back(all.acquire(here, r));
      const event far = all.acquire(there, r);
      all.settle();
      unsigned grants = 0;
      for (; !all.has_triggered(there, far); ++grants) {
        REQUIRE(grants <= fairness);
        all.release(here, r);
        all.settle();
      }
      CHECK(grants == fairness + 1);
      all.release(there, r);
      all.settle();
      for (auto left = 20 - fairness; left > 0; --left) all.release(here, r), all.settle();
      for (const event e : local) CHECK(all.has_triggered(here, e));
    }
  }
}

TEST_CASE(
    "readers of all nodes hold it together and see its payload, and a writer comes between those before it and those "
    "after") {
  borrowing_nodes all(4);
  const auto r = all.on(0, [] { return reservation::create({.payload_bytes = sizeof(int)}); });
  int written = 0;
  for (const std::size_t writer : {1, 3, 0, 2}) {
    const event alone = all.acquire(writer, r);
    all.settle();
    REQUIRE(all.has_triggered(writer, alone));
    all.on(writer, [&] { r.payload_as<int>() = ++written; });
    all.release(writer, r);
    std::vector<event> readers;
    for (std::size_t n = 0; n < 4; ++n) readers.push_back(all.share(n, r));
    all.settle();
    for (std::size_t n = 0; n < 4; ++n) {
      CHECK(all.has_triggered(n, readers[n]));
      CHECK(all.on(n, [&] { return r.payload_as<int>(); }) == written);
    }
    const std::size_t next = (writer + 1) % 4, late = (writer + 2) % 4;
    const event waits = all.acquire(next, r);
    all.settle();
    const event behind = all.share(late, r);
    all.settle();
    for (std::size_t n = 0; n < 4; ++n) {
      CHECK_FALSE(all.has_triggered(next, waits));
      CHECK_FALSE(all.has_triggered(late, behind));
      all.release(n, r);
      all.settle();
    }
    CHECK(all.has_triggered(next, waits));
    CHECK_FALSE(all.has_triggered(late, behind));
    all.on(next, [&] { r.payload_as<int>() = ++written; });
    all.release(next, r);
    all.settle();
    CHECK(all.has_triggered(late, behind));
    CHECK(all.on(late, [&] { return r.payload_as<int>(); }) == written);
    all.release(late, r);
    all.settle();
  }
}

TEST_CASE("a shared hold elsewhere costs a message and its answer, and the reservation stays") {
  borrowing_nodes all(3);
  const auto r = all.on(0, [] { return reservation::create({.payload_bytes = 8}); });
  for (int i = 0; i < 5; ++i) {
    const event held = all.share(1, r);
    all.settle();
    CHECK(all.has_triggered(1, held));
    CHECK(all.messages() == static_cast<std::uint64_t>(4 * i + 2));
    all.release(1, r);
    all.settle();  // the reply included
  }
  CHECK(all.on(0, [&] { return r.try_acquire(); }));
}

TEST_CASE("acquires of one node are granted in order, shared or not, also if another node has the reservation") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    borrowing_nodes all(3, seed);
    const auto r = all.on(0, [] { return reservation::create(); });
    all.acquire(2, r);
    all.settle();
    const event first = all.share(1, r), second = all.acquire(1, r), third = all.share(1, r),
                fourth = all.acquire(1, r);
    all.release(2, r);
    for (const auto& [granted, later] : {std::pair{first, second}, {second, third}, {third, fourth}}) {
      all.settle();
      CHECK(all.has_triggered(1, granted));
      CHECK_FALSE(all.has_triggered(1, later));
      all.release(1, r);
    }
    all.settle();
    CHECK(all.has_triggered(1, fourth));
  }
}

TEST_CASE("a reservation that is destroyed poisons the readers of other nodes that wait for it") {
  borrowing_nodes all(3);
  const auto r = all.on(0, [] { return reservation::create(); });
  all.acquire(1, r);
  all.settle();
  const event waits = all.share(2, r), here = all.share(0, r);
  all.settle();
  all.on(0, [&] { r.destroy(); });
  all.settle();
  CHECK(all.cause(2, waits).find("error E33") != std::string::npos);
  CHECK(all.cause(0, here).find("error E33") != std::string::npos);
}

TEST_CASE("a release on a node that does not have it finds it, and says when it is done") {
  borrowing_nodes all(8);
  const auto r = all.on(0, [] { return reservation::create(); });
  for (std::size_t n = 1; n < 8; ++n) {
    const event g = all.acquire(n, r);
    all.settle();
    CHECK(all.has_triggered(n, g));
    const event done = all.release(n - 1, r);  // this node has passed the reservation on
    CHECK_FALSE(all.has_triggered(n - 1, done));
    all.settle();
    CHECK(all.has_triggered(n - 1, done));
  }
  CHECK(all.on(7, [&] { return r.try_acquire(); }));
  all.release(0, r);  // forwarded over all nodes that have passed it on
  all.settle();
  CHECK(all.on(7, [&] { return r.try_acquire(); }));
  std::uint32_t most = 0;
  for (std::size_t n = 0; n < 8; ++n) most = std::max(most, all[n].reservations.most_hops());
  CHECK(most <= 8);
}

TEST_CASE("a poisoned acquire of another node leaves one release to be ignored, wherever it is issued") {
  borrowing_nodes all(3);
  const auto r = all.on(0, [] { return reservation::create(); });
  const event held = all.acquire(2, r);
  const event bad = all.on(1, [] { return user_event::create(); });
  const event skipped = all.on(1, [&] { return r.acquire(bad); });
  const event released = all.on(0, [&] { return r.release(skipped); });  // after the skipped work
  all.settle();
  REQUIRE(all.has_triggered(2, held));
  all.on(0, [&] { as_user(bad).poison(trouble("bad")); });
  all.settle();
  CHECK(all.cause(1, skipped) == "bad (on N0)");
  CHECK(all.has_triggered(0, released));
  CHECK(all.cause(0, released) == "");
  CHECK_FALSE(all.on(2, [&] { return r.try_acquire(); }));  // still held
  all.release(2, r);
  CHECK(all.on(2, [&] { return r.try_acquire(); }));
}

TEST_CASE("a release of a reservation that is not held is refused at the caller, with its line") {
  borrowing_nodes all(3);
  const auto r = all.on(0, [] { return reservation::create(); });
  const std::string line = line_of();
  const event done = all.on(1, [&] { return r.release(); });
  all.settle();
  REQUIRE(all[1].reports.size() == 1);
  CHECK(contains(all[1].reports[0], "error E31"));
  const auto next = line.substr(0, line.find(':') + 1) + std::to_string(std::stoi(line.substr(line.find(':') + 1)) + 1);
  CHECK(contains(all[1].reports[0], "released    " + next));
  CHECK(contains(all.cause(1, done), "error E31"));
  CHECK(all[0].reports.empty());
}

TEST_CASE("an operation on a reservation of no node of the job disconnects its sender; other messages do nothing") {
  borrowing_nodes all(2);
  cluster others({.nodes = 1}, 100);
  const detail::reservation_id id{others.on(0, [] { return reservation::create(); }).raw()};
  all.on(1, [&] {
    all[1].job.send(0, dist::reservation_want{id});
    all[1].job.send(0, dist::reservation_recall{.reservation = id, .to = 1, .version = 1});
  });
  all.settle();
  CHECK_FALSE(all[0].job.is_lost(1));
  all.on(1, [&] { all[1].job.send(0, dist::reservation_operation{.id = id, .origin = 1}); });
  all.settle();
  CHECK(all[0].job.is_lost(1));
}

TEST_CASE("a destroyed reservation poisons its waiters on every node, and no record of it is kept") {
  for (const std::size_t destroyer : {0, 1}) {
    borrowing_nodes all(4);
    const auto r = all.on(0, [] { return reservation::create({.payload_bytes = 100}); });
    std::vector<event> grants;
    for (std::size_t n = 1; n < 4; ++n) {
      grants.push_back(all.acquire(n, r));
      all.settle();
    }
    all.on(destroyer, [&] { r.destroy(); });
    all.settle();
    CHECK(all.has_triggered(1, grants[0]));
    for (std::size_t n : {2, 3}) CHECK(contains(all.cause(n, grants[n - 1]), "error E33"));
    for (std::size_t n = 0; n < 4; ++n) CHECK(all[n].reservations.records() == 0);
    const event late = all.acquire(2, r);
    all.on(3, [&] { r.destroy(); });
    all.settle();
    CHECK(contains(all.cause(2, late), "error E32"));
    REQUIRE(all[3].reports.size() == 1);
    CHECK(contains(all[3].reports[0], "error E32"));
    CHECK(all[2].reservations.records() == 0);
  }
}

TEST_CASE("a reservation is lost with a node that has used it, and with its home") {
  for (const std::size_t killed : {0, 1}) {
    borrowing_nodes all(4);
    const auto r = all.on(0, [] { return reservation::create(); });
    all.acquire(1, r);
    all.settle();
    const event waits = all.acquire(2, r);
    const event released = all.release(3, r);
    all.kill(killed);
    all.settle();
    CHECK(contains(all.cause(2, waits), "error N05: node N" + std::to_string(killed)));
    CHECK(all.has_triggered(3, released));
    const event later = all.acquire(2, r);
    all.settle();
    CHECK(contains(all.cause(2, later), "error N05"));
  }
}

namespace {

/// Sections of a random program: acquire; increment the payload alone, or read it together with other
/// readers; release in some way.
struct critical_sections {
  struct section {
    std::size_t node, which;
    event when{};
    event grant{};
    user_event over{};  // releases that were submitted ahead wait for it
    bool is_shared = false;
    bool is_to_fail = false, is_released_ahead = false, is_inside = false, is_left = false;
    std::vector<event> releases{};
    std::vector<std::size_t> released_on{};
  };
  std::mt19937_64 random;
  cluster nodes;
  std::vector<reservation> all;
  std::vector<const section*> inside;  // exclusively
  std::vector<int> readers, most_readers;
  std::vector<int> count;
  std::deque<section> sections;
  bool has_losses = false;

  explicit critical_sections(std::uint64_t seed, std::uint32_t most = 64)
      : random(seed),
        nodes({.nodes = 1 + static_cast<std::uint32_t>(random() % (random() % 4 ? 5 : most)),
               .seed = seed,
               .jitter_seconds = random() % 2 ? 2e-6 : 1e-4,
               .eager_bytes = random() % 3 ? 4096u : 16u}) {
    for (auto n = 1 + below(3); n > 0; --n)
      all.push_back(nodes.on(below(nodes.size()), [&] {
        return reservation::create(
            {.payload_bytes = below(2) ? sizeof(int) : 2000, .fairness = static_cast<std::uint32_t>(below(4))});
      }));
    inside.resize(all.size());
    for (auto* const numbers : {&count, &readers, &most_readers}) numbers->resize(all.size());
  }
  std::size_t below(std::size_t n) { return random() % n; }
  std::size_t living() {
    for (;;)
      if (const auto n = below(nodes.size()); !nodes[n].is_dead) return n;
  }
  /// If nodes may be lost, each node carries out its own sections, because those of a lost node would be missing.
  std::size_t helper(const section& s) { return has_losses ? s.node : living(); }
  void release(section& s, std::size_t from, event when) {
    s.releases.push_back(nodes.on(from, [&] { return all[s.which].release(when); }));
    s.released_on.push_back(from);
  }

  void begin() {
    section& s =
        sections.emplace_back(section{.node = living(), .which = below(all.size()), .is_shared = below(2) == 0});
    if (below(3) == 0) {
      s.when = nodes.on(living(), [] { return user_event::create(); });
      s.is_to_fail = below(2) == 0;
    }
    s.grant = nodes.on(
        s.node, [&] { return s.is_shared ? all[s.which].acquire(shared, s.when) : all[s.which].acquire(s.when); });
    if (!s.is_to_fail && below(2)) return;
    // Submitted ahead: after the work, which the program ends; if the acquire is poisoned, so is the work.
    s.is_released_ahead = true;
    s.over = nodes.on(helper(s), [] { return user_event::create(); });
    const auto from = helper(s);
    const event worked = nodes.on(from, [&] { return s.is_to_fail && below(2) ? s.grant : merge(s.grant, s.over); });
    if (below(2)) return release(s, from, worked);
    s.releases.push_back(nodes.on(from, [&] { return all[s.which].release_grant(s.grant, s.over); }));
    s.released_on.push_back(from);
  }
  void go_on(section& s) {
    if (s.is_left || nodes[s.node].is_dead) return;
    if (!s.is_inside) {
      if (!nodes.on(s.node, [&] { return s.grant.has_triggered(); })) return;
      const std::string cause = nodes.on(s.node, [&] { return words_of_cause(s.grant); });
      if (has_losses && contains(cause, "N05")) return void(s.is_left = true);
      REQUIRE((!cause.empty()) == s.is_to_fail);
      if (s.is_to_fail) return leave(s);
      if (!has_losses) REQUIRE(inside[s.which] == nullptr);
      if (!has_losses && !s.is_shared) REQUIRE(readers[s.which] == 0);
      if (s.is_shared) most_readers[s.which] = std::max(most_readers[s.which], ++readers[s.which]);
      else inside[s.which] = &s;
      s.is_inside = true;
      nodes.on(s.node, [&] {
        int& counter = all[s.which].payload_as<int>();
        if (!has_losses) REQUIRE(counter == count[s.which]);
        if (!s.is_shared) ++counter;
      });
      if (!s.is_shared) ++count[s.which];
    } else if (below(3) == 0) {
      if (s.is_shared) --readers[s.which];
      else inside[s.which] = nullptr;
      leave(s);
    }
  }
  void leave(section& s) {
    s.is_left = true;
    if (s.is_released_ahead) {
      nodes.on(helper(s), [&] { s.over.trigger(); });
    } else {
      release(s, below(2) ? s.node : helper(s), {});
    }
  }
  void step() {
    for (auto n = below(6); n > 0; --n) nodes.poll(below(nodes.size()));
    if (sections.empty()) return;
    section& s = sections[below(sections.size())];
    if (s.when != event() && below(4) == 0) {
      nodes.on(helper(s), [&] { s.is_to_fail ? as_user(s.when).poison(trouble("no")) : as_user(s.when).trigger(); });
      s.when = {};
    }
    go_on(s);
  }
  bool is_over() {
    return std::ranges::all_of(sections, [&](const section& s) { return s.is_left || nodes[s.node].is_dead; });
  }
  void finish() {
    for (std::uint64_t i = 0; !is_over(); ++i) {
      REQUIRE(i < 2'000'000);
      step();
    }
    nodes.settle(random);
  }
};

}  // namespace

TEST_CASE(
    "random programs of reservations: one holder or readers at a time, whose payload is the latest, and nobody waits "
    "for ever") {
  int most_readers = 0;
  for (std::uint64_t seed = 0; seed < test::scaled_of_one_thread<std::uint64_t>(150, 6'000); ++seed) {
    CAPTURE(seed);
    critical_sections t(seed);
    for (auto n = 5 + t.below(40); n > 0; --n) {
      t.begin();
      for (auto k = t.below(20); k > 0; --k) t.step();
    }
    t.finish();
    for (const auto& s : t.sections)
      for (std::size_t i = 0; i < s.releases.size(); ++i)
        t.nodes.on(s.released_on[i], [&] {
          REQUIRE(s.releases[i].has_triggered());
          REQUIRE(words_of_cause(s.releases[i]) == "");
        });
    for (std::size_t i = 0; i < t.all.size(); ++i) {
      const auto n = t.below(t.nodes.size());
      const event last = t.nodes.on(n, [&] { return t.all[i].acquire(); });
      t.nodes.settle(t.random);
      t.nodes.on(n, [&] {
        REQUIRE(last.has_triggered());
        REQUIRE(t.all[i].payload_as<int>() == t.count[i]);
      });
    }
    for (std::size_t n = 0; n < t.nodes.size(); ++n) {
      REQUIRE(t.nodes[n].reports.empty());
      REQUIRE(t.nodes[n].reservations.most_hops() <= t.nodes.size() + 1);
    }
    most_readers = std::max(most_readers, std::ranges::max(t.most_readers));
  }
  CHECK(most_readers > 2);
}

TEST_CASE("if nodes die, every acquire is granted or poisoned with the loss") {
  for (std::uint64_t seed = 0; seed < test::scaled_of_one_thread<std::uint64_t>(100, 4'000); ++seed) {
    CAPTURE(seed);
    critical_sections t(seed, seed % 25 < 24 ? 10 : 64);
    if (t.nodes.size() < 2) continue;
    t.has_losses = true;
    for (auto n = 5 + t.below(30); n > 0; --n) {
      t.begin();
      for (auto k = t.below(15); k > 0; --k) t.step();
    }
    const auto gone = t.below(t.nodes.size());
    if (t.below(3) == 0) {
      const auto other = (gone + 1) % t.nodes.size();
      t.nodes.network->cut(static_cast<net::node_number>(gone), static_cast<net::node_number>(other));
    } else {
      t.nodes.kill(gone);
    }
    t.nodes.settle(t.random);
    // Holders release as far as they can; then all other acquires were lost or are granted.
    for (int round = 0; round < 200; ++round) {
      for (auto& s : t.sections) {
        if (s.when != event() && !t.nodes[s.node].is_dead)
          t.nodes.on(s.node, [&] {
            if (!s.when.has_triggered())
              s.is_to_fail ? as_user(s.when).poison(trouble("no")) : as_user(s.when).trigger();
          });
        s.when = {};
        if (!t.nodes[s.node].is_dead && !s.is_left && t.nodes.on(s.node, [&] { return s.grant.has_triggered(); })) {
          const std::string cause = t.nodes.on(s.node, [&] { return words_of_cause(s.grant); });
          REQUIRE((cause.empty() || contains(cause, "N05") || contains(cause, "no")));
          if (cause.empty() || !contains(cause, "N05")) t.leave(s);
          s.is_left = true;
        }
      }
      t.nodes.settle(t.random);
      if (t.is_over()) break;
    }
    for (std::size_t i = 0; i < t.sections.size(); ++i) {
      CAPTURE(i);
      REQUIRE((t.sections[i].is_left || t.nodes[t.sections[i].node].is_dead));
    }
  }
}

TEST_CASE("threads of many nodes count in payloads") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(6, 150); ++seed) {
    CAPTURE(seed);
    const std::uint32_t node_count = 1 + static_cast<std::uint32_t>(seed % 4);
    const unsigned threads = 1 + static_cast<unsigned>(seed / 4 % 3);
    cluster nodes({.nodes = node_count, .seed = seed});
    std::vector<reservation> all;
    for (std::uint32_t i = 0; i < 2; ++i)
      all.push_back(nodes.on(i % node_count, [&] { return reservation::create({.payload_bytes = 8, .fairness = i}); }));
    constexpr int rounds = 15;
    std::atomic<std::size_t> done{0};
    std::atomic<bool> went_back{false};
    std::vector<std::jthread> running;
    for (std::size_t n = 0; n < node_count; ++n)
      for (unsigned t = 0; t < threads; ++t)
        running.emplace_back([&, n, t] {
          member here(nodes[n].world, t + 1);
          long seen[2] = {};
          const auto until = [&](auto&& f) {
            while (!f()) {
              if (t == 0) nodes[n].job.poll();
              std::this_thread::yield();
            }
          };
          for (int i = 0; i < rounds; ++i) {
            const reservation r = all[static_cast<std::size_t>(i) % all.size()];
            const event read = r.acquire(shared);
            until([&] { return read.has_triggered(); });
            long& last = seen[static_cast<std::size_t>(i) % all.size()];
            const long now = r.payload_as<long>();
            if (now < last) went_back = true;
            last = now;
            r.release();
            const event g = r.acquire();
            until([&] { return g.has_triggered(); });
            ++r.payload_as<long>();
            r.release();
          }
          ++done;
          until([&] { return done == node_count * threads; });
        });
    running.clear();
    std::mt19937_64 random(seed);
    nodes.settle(random);
    long sum = 0;
    for (const reservation r : all) {
      const event g = nodes.on(0, [&] { return r.acquire(); });
      nodes.settle(random);
      nodes.on(0, [&] {
        REQUIRE(g.has_triggered());
        sum += r.payload_as<long>();
      });
    }
    REQUIRE_FALSE(went_back);
    REQUIRE(sum == static_cast<long>(node_count * threads * rounds));
    for (std::size_t n = 0; n < node_count; ++n) REQUIRE(nodes[n].reports.empty());
  }
}

TEST_SUITE_END();
