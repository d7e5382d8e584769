// Quiescence: found at once, never too early, whatever objects send to one another, and while nodes fail.
#include <doctest/doctest.h>

#include <stretto/finish.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "event/event_world.hpp"
#include "mobile/node_failures.hpp"
#include "mobile/quiescence_detection.hpp"
#include "net/sim/network.hpp"

namespace stretto {
namespace {

using namespace test;

TEST_CASE("a job without messages is quiescent, alone and on many nodes") {
  runtime alone({.workers = 1});
  alone.run([] { wait(quiescence()); });
  on_all_nodes({.nodes = 3}, 1, [](runtime&) {
    for (int i = 0; i < 3; ++i) wait(quiescence());
  });
}

std::atomic<int> passed{0};  // gates, on all nodes

struct gate {
  void wait_for(event e) { wait(e); }
  void pass() { ++passed; }
  template <class Archive>
  friend void fields(Archive&, archived<gate, Archive>&) {}
};

TEST_CASE("waiting handlers, queued messages and messages that wait for events delay quiescence") {
  const auto program = [](std::uint32_t at) {
    const auto g = make_mobile<gate>(at_node(at));
    const auto first = user_event::create(), second = user_event::create();
    passed = 0;
    finish([&] {
      send(g, call<&gate::wait_for>(first));
      send(g, call<&gate::pass>());
      const auto late = send(after(second), g, call<&gate::pass>());
      const event quiet = quiescence();
      for (int i = 0; i < 50; ++i) yield();
      CHECK(!quiet.has_triggered());
      first.trigger();
      for (int i = 0; i < 50; ++i) yield();
      CHECK(!quiet.has_triggered());
      CHECK(!late.is_ready());
      second.trigger();
      wait(quiet);
      CHECK(passed == 2);
    });
    destroy(g).get();
    wait(quiescence());
  };
  runtime alone({.workers = 2});
  alone.run([&] { program(0); });
  on_all_nodes({.nodes = 3}, 2, [&](runtime&) {
    if (this_node() == 0)
      for (std::uint32_t at = 0; at < 3; ++at) program(at);
  });
}

TEST_CASE("a failed message does not delay quiescence") {
  const auto program = [](std::uint32_t at) {
    const auto g = make_mobile<gate>(at_node(at));
    const auto never = user_event::create();
    const auto skipped = send(after(never), g, call<&gate::pass>());
    destroy(g).get();
    const auto gone = send(g, call<&gate::pass>());
    never.poison(std::make_exception_ptr(std::runtime_error("not today")));
    wait(quiescence());
    CHECK_THROWS(gone.get());
    CHECK_THROWS(skipped.get());
  };
  runtime alone({.workers = 1});
  alone.run([&] { program(0); });
  on_all_nodes({.nodes = 2}, 1, [&](runtime&) {
    if (this_node() == 0)
      for (std::uint32_t at = 0; at < 2; ++at) program(at);
  });
}

TEST_CASE("at quiescence, all messages have been handled, wherever objects are") {
  for (std::uint64_t seed = 1; seed <= scaled_of_one_thread<std::uint64_t>(12, 2'000); ++seed) {
    CAPTURE(seed);
    trial t(seed, 16);
    std::vector<std::pair<std::uint32_t, event>> asked;
    const auto ask = [&] {
      const std::uint32_t node = t.draw();
      t.on(node, [&] { asked.emplace_back(node, quiescence()); });
    };
    for (int i = 0; i < 80; ++i) {
      t.do_something();
      if (t.random() % 10 == 0) ask();
    }
    for (auto& [node, e] : t.events) t.on(node, [&] { e.trigger(); });
    t.events.clear();
    ask();
    // No future has the results that chains send on.
    t.step_until([&] {
      bool is_quiet = false;
      t.on(asked.back().first, [&] { is_quiet = asked.back().second.has_triggered(); });
      return is_quiet;
    });
    CHECK(t.sent.handled == t.sent.sent_by_all());
    t.finish_all();
    t.step_until([&] {
      return std::ranges::all_of(asked, [&](const auto& a) {
        bool has = false;
        t.on(a.first, [&] { has = a.second.has_triggered(); });
        return has;
      });
    });
  }
}

TEST_CASE("the remaining nodes detect quiescence among themselves") {
  for (std::uint64_t seed = 1; seed <= scaled_of_one_thread<std::uint64_t>(12, 2'000); ++seed) {
    CAPTURE(seed);
    lose_at_random(seed + 90'000, seed % 2 ? trial::made::as_a_collection : trial::made::one_by_one, true, 12,
                   [](trial& t) {
                     const std::uint32_t node = t.draw();
                     t.on(node, [&] { t.keep(node, async(after(quiescence()), [] {})); });
                   });
  }
}

/// A node whose counts of messages to mobile objects the test sets.
struct counting_node final : dist::protocol {
  counting_node(net::sim::network& network, dist::rank r) : world(r), detection(&job, [this] { return counts; }) {
    job.add(*this);
    job.start([&](net::handlers& all) { return network.join(r, all); });
    context.runtime = &world.runtime;
    stretto::detail::enter_events(context);
  }
  ~counting_node() override { stretto::detail::leave_events(context); }
  void lost(dist::rank node, base::thread_context&) noexcept override { detection.on_node_failed(node); }
  template <class F>
  auto inside(F&& f) {
    base::thread_context* const before = base::set_current(&context);
    struct restore {
      base::thread_context* to;
      ~restore() { base::set_current(to); }
    } const at_end{before};
    return f();
  }
  void advance() {
    inside([&] { detection.advance(); });
  }

  testing::event_world world;
  base::thread_context context;
  dist::job job;
  mobiles::message_counts counts;
  mobiles::quiescence_detection detection;
};

TEST_CASE("the counts of a node that failed do not stand for messages that were sent since") {
  const auto network = net::sim::network::make({.nodes = 4, .jitter_seconds = 0});
  std::deque<counting_node> all;
  for (dist::rank r = 0; r < 4; ++r) all.emplace_back(*network, r);
  const auto deliver = [&] {
    for (int i = 0; i < 64; ++i)
      for (auto& n : all) n.inside([&] { n.job.poll(); });
  };
  all[1].counts = {.begun = 1, .ended = 1};
  const event quiet = all[0].inside([&] { return all[0].detection.when_quiescent(std::source_location::current()); });
  const auto is_quiet = [&] { return all[0].inside([&] { return quiet.has_triggered(); }); };
  // Node 1 fails after its reply.
  all[0].advance();
  deliver();
  all[1].advance();
  all[2].advance();
  deliver();
  network->kill(1);
  deliver();
  all[3].advance();
  deliver();
  // Node 3 replies to the next query before a message of node 2 makes it send one, which is under way then.
  all[0].advance();
  deliver();
  all[3].advance();
  all[2].counts = {.begun = 1, .ended = 1};
  all[3].counts = {.begun = 1, .ended = 0};
  all[2].advance();
  deliver();
  CHECK_FALSE(is_quiet());
  all[3].counts.ended = 1;
  for (int i = 0; i < 4; ++i) {  // two more rounds: a query, then the replies
    for (auto& n : all) n.advance();
    deliver();
  }
  CHECK(is_quiet());
}

TEST_CASE("threads of many nodes send chains: at quiescence, all chains have ended") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(6, 300); ++seed) {
    CAPTURE(seed);
    const std::uint32_t nodes = 1 + std::uint32_t(seed % 4), objects = 6;
    const simulated_job job({.nodes = nodes, .seed = seed, .jitter_seconds = seed % 2 ? 2e-6 : 1e-5});
    model sent(nodes);
    of_all = &sent;
    for (std::uint32_t o = 0; o < objects; ++o) sent.objects.emplace_back();
    std::atomic<std::uint32_t> ready{0}, through{0}, looked{0};
    on_all_nodes(
        {}, 2,
        [&](runtime&) {
          const std::uint32_t me = this_node();
          for (std::uint32_t o = me; o < objects; o += nodes)
            sent.objects[o] = make_mobile<book>(at_node(std::uint32_t(seed + o) % nodes), o, std::string());
          ++ready;
          while (ready < nodes) yield();
          for (std::uint32_t round = 1; round <= 5; ++round) {
            std::mt19937_64 random(seed * 100 + me * 10 + round);
            detached([&] {
              for (int i = 0; i < 10; ++i) {
                const auto o = std::uint32_t(random() % objects);
                if (random() % 4 == 0) migrate(sent.objects[o], at_node(std::uint32_t(random() % nodes)));
                send_chain(o, std::uint32_t(random() % 20));
              }
            });
            ++through;
            while (through < nodes * round) yield();
            wait(quiescence());
            CHECK(sent.handled == sent.sent_by_all());
            ++looked;
            while (looked < nodes * round) yield();
          }
        },
        &job);
    of_all = nullptr;
  }
}

}  // namespace
}  // namespace stretto
