// Termination of a job, on nodes that one thread steps in an order from a seed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "dist/job.hpp"
#include "dist/termination.hpp"
#include "event/event_world.hpp"
#include "net/sim/network.hpp"

namespace stretto::dist {
namespace {

struct created_work {
  static constexpr std::string_view message = "work";
  std::uint32_t depth = 0;
};

/// A node with work that creates work on other nodes, and with events that only it can poison.
struct worker_node {
  worker_node(net::sim::network& network, rank r, std::uint64_t seed)
      : job(0), end(job), world(r), random(seed * 31 + r) {
    job.on<&worker_node::on_work>(this);
    job.start([&](net::handlers& all) { return network.join(r, all); });
    context.runtime = &world.runtime;
    stretto::detail::enter_events(context);
  }
  ~worker_node() { stretto::detail::leave_events(context); }

  void on_work(rank, const created_work& m, base::thread_context&) { queue.push_back(m.depth); }
  void leave() {
    end.leave({.is_idle = [this] { return queue.empty(); },
               .poison_untriggered = [this](base::thread_context&) -> std::size_t {
                 poison_calls++;
                 if (!in_vain) return 0;
                 --in_vain;
                 queue.push_back(2);  // poisoned work continues, and may send
                 return 1;
               }});
    has_left = true;
  }
  void poll() {
    base::thread_context* const before = base::set_current(&context);
    job.poll();
    base::set_current(before);
  }
  void send(rank to) {
    base::thread_context* const before = base::set_current(&context);
    job.send(to, created_work{});
    base::set_current(before);
  }
  void advance() {
    base::thread_context* const before = base::set_current(&context);
    end.advance(context);
    base::set_current(before);
  }
  void step() {
    base::thread_context* const before = base::set_current(&context);
    job.poll();
    if (!queue.empty() && random() % 2) {
      const std::uint32_t depth = queue.back();
      queue.pop_back();
      ++done;
      if (depth > 0)
        for (auto n = random() % 3; n > 0; --n)
          job.send(static_cast<rank>(random() % job.nodes()), created_work{depth - 1});
    }
    end.advance(context);
    base::set_current(before);
  }

  dist::job job;
  termination end;
  testing::event_world world;
  base::thread_context context;
  std::mt19937_64 random;
  std::vector<std::uint32_t> queue;
  std::uint64_t done = 0, done_when_over = 0;
  unsigned in_vain = 0, poison_calls = 0;
  bool has_left = false, is_dead = false;
};

enum class losses { none, a_node, links };

void run_one(std::uint64_t seed, losses what) {
  std::mt19937_64 random(seed);
  const auto nodes = static_cast<std::uint32_t>(1 + random() % 7);
  const auto network =
      net::sim::network::make({.nodes = nodes, .seed = seed, .jitter_seconds = random() % 2 ? 1e-4 : 0});
  std::vector<std::unique_ptr<worker_node>> all;
  for (rank r = 0; r < nodes; ++r) all.push_back(std::make_unique<worker_node>(*network, r, seed));
  for (auto& n : all) {
    if (random() % 2) n->queue.push_back(static_cast<std::uint32_t>(random() % 6));
    n->in_vain = static_cast<unsigned>(random() % 3);
  }
  const auto is_over = [&] {
    for (auto& n : all)
      if (!n->is_dead && !n->end.is_over()) return false;
    return true;
  };
  unsigned cuts = what == losses::links ? static_cast<unsigned>(1 + random() % 6) : 0;
  for (std::uint64_t i = 0; !is_over(); ++i) {
    REQUIRE(i < 2'000'000);
    auto& n = *all[random() % nodes];
    if (!n.has_left && random() % 20 == 0) n.leave();
    const bool says_so = std::ranges::any_of(all, [](const auto& n) { return n->end.is_over(); });
    if (cuts && !says_so && random() % 30 == 0) {
      --cuts;
      const auto one = static_cast<rank>(random() % nodes), other = static_cast<rank>(random() % nodes);
      if (one != other) network->cut(one, other);
    }
    if (what == losses::a_node && nodes > 1 && i == 60 && !n.is_dead) {
      n.is_dead = true;
      network->kill(n.job.self());
    }
    if (n.is_dead) {  // its messages to itself must not stop the clock
      n.poll();
      continue;
    }
    n.step();
    if (!n.end.is_over()) continue;
    if (what == losses::links) {  // groups end one after the other
      CHECK(n.queue.empty());
      CHECK(n.in_vain == 0);
      CHECK(n.has_left);
    } else {
      for (auto& other : all) {  // no node has work left, and no message is in flight
        if (other->is_dead) continue;
        CHECK(other->queue.empty());
        CHECK(other->in_vain == 0);
        CHECK(other->has_left);
        if (!other->done_when_over) other->done_when_over = other->done + 1;
        CHECK(other->done + 1 == other->done_when_over);
      }
    }
  }
}

TEST_CASE("a job is over when nothing runs on any node and no message is in flight, and not before") {
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(300, 20'000); ++seed) {
    CAPTURE(seed);
    run_one(seed, losses::none);
  }
}

TEST_CASE("a job whose nodes die ends for those that are left") {
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(300, 20'000); ++seed) {
    CAPTURE(seed);
    run_one(seed, losses::a_node);
  }
}

TEST_CASE("a node that knows that the job is over notifies the others if the coordinator has died") {
  run_one(7399, losses::a_node);
}

TEST_CASE("a job that is split into groups ends on every node, whichever links are left") {
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(600, 20'000); ++seed) {
    CAPTURE(seed);
    run_one(seed, losses::links);
  }
}

struct idle_workers {
  explicit idle_workers(std::uint32_t nodes) : network(net::sim::network::make({.nodes = nodes, .jitter_seconds = 0})) {
    for (rank r = 0; r < nodes; ++r) all.push_back(std::make_unique<worker_node>(*network, r, 1));
    for (auto& n : all) n->leave();
  }
  void deliver() {
    for (int i = 0; i < 64; ++i)
      for (auto& n : all) n->poll();
  }
  /// Messages that arrive and whose work ends at once.
  void exchange(rank from, rank to, unsigned messages) {
    for (unsigned i = 0; i < messages; ++i) all[from]->send(to);
    deliver();
    REQUIRE(all[to]->queue.size() == messages);
    all[to]->queue.clear();
  }

  std::shared_ptr<net::sim::network> network;
  std::vector<std::unique_ptr<worker_node>> all;
};

TEST_CASE("messages that a failed link no longer counts do not stand for messages that are sent meanwhile") {
  idle_workers job(4);
  auto& coordinator = *job.all[0];
  auto &one = *job.all[1], &two = *job.all[2], &three = *job.all[3];
  job.exchange(1, 2, 4);
  // Node 3 replies first. Node 1 replies after it has sent two messages to node 3 and handled two from it, so that the
  // sums are 6 and 6 although the last message is not handled.
  coordinator.advance();
  job.deliver();
  two.advance();
  three.advance();
  job.exchange(1, 3, 1);
  job.exchange(3, 1, 2);
  one.send(3);
  one.advance();
  job.deliver();
  REQUIRE(three.queue.size() == 1);
  three.queue.clear();
  // Without the four messages between nodes 1 and 2, the second round has the same sums. Now node 1 replies first.
  job.network->cut(1, 2);
  job.deliver();
  coordinator.advance();
  job.deliver();
  one.advance();
  two.advance();
  job.exchange(3, 1, 1);
  job.exchange(1, 3, 2);
  three.send(1);
  three.advance();
  job.deliver();
  REQUIRE(one.queue.size() == 1);
  coordinator.advance();
  CHECK(coordinator.poison_calls == 0);
  for (int i = 0; i < 1000; ++i)
    for (auto& n : job.all) n->step();
  for (auto& n : job.all) CHECK(n->end.is_over());
}

TEST_CASE("after the failure of a node nothing is poisoned before the others have come to rest once more") {
  idle_workers job(3);
  auto& coordinator = *job.all[0];
  const auto complete_round = [&] {
    for (rank r = 0; r < 2; ++r) {
      job.all[r]->advance();
      job.deliver();
    }
  };
  for (int rounds = 0; rounds < 2; ++rounds) {
    coordinator.advance();
    job.deliver();
    for (auto& n : job.all) n->advance();
    job.deliver();
  }
  job.network->kill(2);
  job.deliver();
  REQUIRE(coordinator.job.is_lost(2));
  complete_round();
  CHECK(coordinator.poison_calls == 0);
  for (int i = 0; i < 100 && !coordinator.end.is_over(); ++i) complete_round();
  CHECK(coordinator.poison_calls == 1);
  CHECK(coordinator.end.is_over());
  CHECK(job.all[1]->end.is_over());
}

TEST_CASE("nodes that lose links and send as many messages to others do not count the same") {
  idle_workers job(5);
  const auto complete_round = [&] {
    for (auto& n : job.all) {
      n->advance();
      job.deliver();
    }
  };
  for (const auto& [from, to] : {std::pair(1, 2), std::pair(2, 1), std::pair(3, 4), std::pair(4, 3)})
    job.exchange(static_cast<rank>(from), static_cast<rank>(to), 1);
  complete_round();
  job.network->cut(1, 2);
  job.network->cut(3, 4);
  job.deliver();
  for (const auto& [from, to] : {std::pair(1, 3), std::pair(3, 1), std::pair(2, 4), std::pair(4, 2)})
    job.exchange(static_cast<rank>(from), static_cast<rank>(to), 1);
  complete_round();
  job.all[0]->advance();
  CHECK(job.all[0]->poison_calls == 0);
}

TEST_CASE("the counts of messages never decrease, and the loss of a node adds the same to both") {
  idle_workers job(4);
  job.exchange(1, 2, 2);
  job.exchange(1, 3, 1);
  const auto before = job.all[1]->job.messages();
  CHECK(before.sent == 3);
  CHECK(before.handled == 0);
  job.network->cut(1, 2);
  job.deliver();
  const auto after = job.all[1]->job.messages();
  CHECK(after.sent > before.sent);
  CHECK(after.handled > before.handled);
  CHECK(after.sent - after.handled == 1);  // to node 3
}

}  // namespace
}  // namespace stretto::dist
