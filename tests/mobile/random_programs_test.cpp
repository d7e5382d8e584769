// Random programs of objects on many nodes against a serial model: stepped from seeds, with failing nodes and cut
// links, and with threads.
#include <doctest/doctest.h>

#include <stretto/error.hpp>
#include <stretto/finish.hpp>

#include <algorithm>
#include <random>
#include <string>

#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "mobile/node_failures.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using namespace test;

TEST_CASE("every message is handled once and in order, wherever objects migrate") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(60, 2'000); ++seed) {
    CAPTURE(seed);
    trial t(seed, seed % 20 ? 6 : 64);
    for (int i = 0; i < 120; ++i) t.do_something();
    t.finish_all();
    // No future has the later parts of chains: they have ended when all counts agree.
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
    for (std::uint32_t n = 0; n < t.nodes; ++n)
      t.on(n, [&] { CHECK(current_mobile_statistics().most_hops <= most_hops); });
  }
}

TEST_CASE("with failing nodes and cut links, each successful message was handled once, and all ends") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(60, 2'000); ++seed) {
    CAPTURE(seed);
    lose_at_random(seed * 7 + 1);
  }
}

TEST_CASE("regression seeds that hung: the home lost the destination, or missed the end of an object") {
  for (const std::uint64_t seed : {54u, 80u, 156u}) {
    CAPTURE(seed);
    lose_at_random(seed);
  }
  const with_variable migrations("STRETTO_TEST_RANDOM_MIGRATION", "30");
  for (const std::uint64_t seed : {19u, 36u, 79u, 305u, 385u, 841u}) {
    CAPTURE(seed);
    lose_at_random(seed);
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
    on_all_nodes(
        {}, 2,
        [&](runtime&) {
          const std::uint32_t me = this_node();
          for (std::uint32_t o = me; o < objects; o += nodes)
            sent.objects[o] = make_mobile<book>(at_node(std::uint32_t(seed + o) % nodes), o, std::string());
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
        },
        &job);
    of_all = nullptr;
  }
}

}  // namespace
}  // namespace stretto
