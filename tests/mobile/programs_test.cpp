// Random programs of objects on many nodes against a serial model: stepped from seeds, with cuts and deaths, and with threads.
#include <doctest/doctest.h>

#include <stretto/error.hpp>
#include <stretto/finish.hpp>

#include <algorithm>
#include <memory>
#include <random>

#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "mobile/programs.hpp"

namespace stretto {
namespace {

using namespace test;

struct trial {
  std::mt19937_64 random;
  const std::uint32_t nodes;
  simulated_job job;
  model sent;
  std::deque<std::unique_ptr<runtime>> all;
  struct waiting {
    std::uint32_t node;
    future<void> what;
    std::uint32_t object = ~0u, number = 0;  // of a line
  };
  std::vector<waiting> futures;
  std::vector<std::pair<std::uint32_t, user_event>> events;
  bool has_losses = false;
  std::vector<bool> is_dead;

  explicit trial(std::uint64_t seed, std::uint32_t most_nodes)
      : random(seed), nodes(1 + std::uint32_t(random() % most_nodes)),
        job({.nodes = nodes, .seed = seed, .jitter_seconds = random() % 2 ? 2e-6 : 1e-4}), sent(nodes), is_dead(nodes) {
    of_all = &sent;
    for (std::uint32_t n = 0; n < nodes; ++n)
      all.push_back(std::make_unique<runtime>(runtime_options{.workers = 1 + n % 2, .seed = seed, .stepped = true, .job = job.seat(n)}));
    const auto count = static_cast<std::uint32_t>(1 + random() % 8);
    for (std::uint32_t o = 0; o < count; ++o) {
      const std::string weight(random() % 4 ? 0 : 5000, 'w');
      const auto at = static_cast<std::uint32_t>(random() % nodes);
      on(draw(), [&] {
        sent.objects.push_back(random() % 2 ? make_mobile<book>(o, weight) : make_mobile<book>(at_node(at), o, weight));
      });
    }
  }
  ~trial() {
    for (auto& w : futures) on(w.node, [&] { w.what = {}; });
    // A job that is cut in parts has no end that all agree on: each node ends alone.
    for (std::uint32_t n = 0; has_losses && n < nodes; ++n) job.kill(n);
    for (auto& rt : all) rt->leave();
    step_until([&] {
      for (auto& rt : all)
        if (!rt->is_job_over()) return false;
      return true;
    });
    of_all = nullptr;
  }

  std::uint32_t draw() { return static_cast<std::uint32_t>(random() % nodes); }
  std::uint32_t object() { return static_cast<std::uint32_t>(random() % sent.objects.size()); }
  template <class F>
  void on(std::uint32_t node, F&& f) {
    const attachment here(*all[node]);
    f();
  }
  void step(std::uint64_t times) {
    for (; times; --times) all[draw()]->step();
  }
  template <class F>
  void step_until(F&& is_so) {
    for (std::uint64_t i = 0; i % 64 || !is_so(); ++i) {
      REQUIRE(i < 300'000);
      all[draw()]->step();
    }
  }
  void keep(std::uint32_t node, future<void> f) { futures.push_back({node, std::move(f)}); }

  void keep_line(std::uint32_t node, std::uint32_t o, std::uint32_t yields = 0) {
    futures.push_back({node, send_line(o, yields), o, sent.sent_by(node, o) - 1});
  }

  void do_something() {
    const std::uint32_t node = draw(), o = object();
    on(node, [&] {
      switch (random() % 16) {
        case 0: case 1: case 2: case 3: return keep_line(node, o);
        case 4: case 5: return keep_line(node, o, 1 + std::uint32_t(random() % 3));
        case 6: for (int i = 0; i < 8; ++i) keep_line(node, o); return;
        case 7: return keep(node, send_chain(o, std::uint32_t(random() % 12)));
        case 8: case 9: send(sent.objects[o], call<&look>(std::uint32_t(random() % 3))); return;
        case 10: case 11: case 12: return keep(node, migrate(sent.objects[o], at_node(draw())));
        case 13: keep(node, migrate(sent.objects[o], at_node(draw()))); return keep(node, migrate(sent.objects[o], at_node(draw())));
        case 14: {
          const auto e = user_event::create();
          events.emplace_back(node, e);
          return keep(node, send_after(e, o));
        }
        default:
          if (events.empty() || events.back().first != node) return;
          events.back().second.trigger();
          events.pop_back();
      }
    });
    if (random() % 3) step(random() % (random() % 8 ? 20 : 200));
  }
  void finish_all() {
    for (auto& [node, e] : events) on(node, [&] { e.trigger(); });
    events.clear();
    step_until([&] {
      return std::ranges::all_of(futures, [&](const waiting& w) { return w.what.is_ready(); });
    });
    step(20 * nodes);
  }
  /// As that node reads it; nothing if it cannot.
  std::optional<std::vector<line>> read(std::uint32_t node, std::uint32_t o) {
    std::optional<std::vector<line>> lines;
    future<std::vector<line>> f;
    on(node, [&] { f = send(sent.objects[o], call<&read_all>()); });
    step_until([&] { return f.is_ready(); });
    on(node, [&] {
      try {
        lines = f.get();
      } catch (const std::exception& e) {
        CHECK(has_losses);
        const std::string words = e.what();
        CHECK((words.find("G03") != words.npos || words.find("N05") != words.npos));
      }
      f = {};
    });
    return lines;
  }
};

TEST_CASE("objects are told everything once and in order, wherever they go") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(60, 10'000); ++seed) {
    CAPTURE(seed);
    trial t(seed, seed % 20 ? 6 : 64);
    for (int i = 0; i < 120; ++i) t.do_something();
    t.finish_all();
    // The chains' later parts are nobody's futures: they are through when all counts agree.
    t.step_until([&] { return t.sent.handled == t.sent.sent_by_all(); });
    std::uint32_t unordered = 0;
    for (std::uint32_t o = 0; o < t.sent.objects.size(); ++o) {
      const auto lines = t.read(t.draw(), o);
      REQUIRE(lines);
      auto counts = check_book(*lines);
      for (std::uint32_t n = 0; n < t.nodes; ++n) CHECK(counts[n] == t.sent.sent_by(n, o));
      unordered += counts[without_order];
    }
    CHECK(unordered == t.sent.without_order);
    CHECK(t.sent.disturbed == 0);
    for (const auto& w : t.futures) t.on(w.node, [&] { CHECK_NOTHROW(w.what.get()); });
    for (std::uint32_t n = 0; n < t.nodes; ++n) t.on(n, [&] { CHECK(current_mobile_statistics().most_hops <= most_hops); });
  }
}

TEST_CASE("where nodes die and links are cut, what ends well has happened once, and all ends") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(60, 10'000); ++seed) {
    CAPTURE(seed);
    trial t(seed * 7 + 1, 6);
    for (int i = 0; i < 120; ++i) {
      t.do_something();
      if (t.nodes > 1 && t.random() % 60 == 0) {
        t.has_losses = true;
        const std::uint32_t one = t.draw(), other = t.draw();
        if (t.random() % 2) t.job.kill(one), t.is_dead[one] = true;
        else if (one != other) t.job.cut(one, other);
      }
    }
    t.finish_all();
    std::map<std::uint32_t, std::vector<line>> books;
    for (std::uint32_t o = 0; o < t.sent.objects.size(); ++o)
      for (std::uint32_t n = 0; n < t.nodes; ++n) {
        if (t.is_dead[n]) continue;
        if (auto lines = t.read(n, o)) {
          const auto counts = check_book(*lines, t.has_losses);
          for (const auto& [node, count] : counts)
            if (node != without_order) CHECK(count <= t.sent.sent_by(node, o));
          books[o] = std::move(*lines);
        }
      }
    CHECK(t.sent.disturbed == 0);
    // Whoever was told that it is written finds it written.
    for (const auto& w : t.futures)
      t.on(w.node, [&] {
        if (!t.has_losses) CHECK_NOTHROW(w.what.get());
        if (w.what.result() && w.object != ~0u && books.contains(w.object))
          CHECK(std::ranges::count(books[w.object], line{w.node, w.number}) == 1);
      });
  }
}

TEST_CASE("threads of many nodes send to objects that others move") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(6, 300); ++seed) {
    CAPTURE(seed);
    const std::uint32_t nodes = 2 + std::uint32_t(seed % 3), objects = 5;
    const simulated_job job({.nodes = nodes, .seed = seed, .jitter_seconds = seed % 2 ? 2e-6 : 1e-5});
    model sent(nodes);
    of_all = &sent;
    for (std::uint32_t o = 0; o < objects; ++o) sent.objects.emplace_back();
    std::atomic<std::uint32_t> ready{0}, through{0};
    on_all_nodes({}, 2, [&](runtime&) {
      const std::uint32_t me = this_node();
      for (std::uint32_t o = me; o < objects; o += nodes) sent.objects[o] = make_mobile<book>(at_node(std::uint32_t(seed + o) % nodes), o, std::string());
      ++ready;
      while (ready < nodes) yield();
      finish([&] {
        for (std::uint32_t task = 0; task < 3; ++task)
          async([&, task] {
            std::mt19937_64 random(seed * 1000 + me * 10 + task);
            for (int i = 0; i < 60; ++i) {
              const auto o = std::uint32_t(random() % objects);
              switch (random() % 8) {
                case 0: migrate(sent.objects[o], at_node(std::uint32_t(random() % nodes))); break;
                case 1: send(sent.objects[o], call<&look>(2u)); break;
                case 2: send_chain(o, 6); break;
                case 3: send_line(o, 2).get(); break;
                case 4: {
                  const auto e = user_event::create();
                  send_after(e, o);
                  e.trigger();
                  break;
                }
                default: send_line(o);
              }
              if (i % 7 == 0) yield();
            }
          });
      });
      ++through;
      while (through < nodes) yield();
      if (me) return;
      std::uint32_t unordered = 0;
      for (std::uint32_t o = 0; o < objects; ++o) {
        auto counts = check_book(send(sent.objects[o], call<&read_all>()).get());
        for (std::uint32_t n = 0; n < nodes; ++n) CHECK(counts[n] == sent.sent_by(n, o));
        unordered += counts[without_order];
        destroy(sent.objects[o]).get();
      }
      CHECK(unordered == sent.without_order);
      CHECK(sent.disturbed == 0);
      CHECK(current_mobile_statistics().most_hops <= most_hops);
    }, &job);
    of_all = nullptr;
  }
}

}  // namespace
}  // namespace stretto
