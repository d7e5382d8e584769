#include "diagnose/job_hang_detector.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <random>
#include <string_view>

#include "campaign.hpp"
#include "dist/cluster.hpp"
#include "net/sim/network.hpp"

using namespace stretto;
using diagnose::job_hang_detector;
using testing::visit;

namespace {

struct test_work {
  static constexpr std::string_view message = "test.work";
  std::uint32_t depth = 0;
};

/// Nodes that send one another work until none is left. Only the test knows what is in flight and what waits on a node.
struct worker_node {
  worker_node(net::sim::network& network, net::node_number rank) : watch(job) {
    job.on<&worker_node::on_work>(this);
    job.start([&](net::handlers& all) { return network.join(rank, all); });
    runtime.node = job.node();
    context.runtime = &runtime;
  }
  void on_work(dist::rank, const test_work& m, base::thread_context&) {
    ++progress;
    left.push_back(m.depth);
  }
  job_hang_detector::node_state state() const {
    base::wait_snapshot s;
    s.node = job.node();
    s.seconds = 100;
    s.is_proven = left.empty();
    return {s, progress};
  }

  base::runtime_context runtime;
  base::thread_context context;
  dist::job job;
  job_hang_detector watch;
  std::deque<std::uint32_t> left;
  std::uint64_t progress = 0;
};

struct trial {
  trial(std::uint64_t seed, std::uint32_t nodes) : random(seed) {
    network = net::sim::network::make(
        {.nodes = nodes, .seed = seed, .latency_seconds = 1e-6, .jitter_seconds = seed % 2 ? 1e-4 : 0});
    for (std::uint32_t n = 0; n < nodes; ++n) all.emplace_back(*network, static_cast<net::node_number>(n));
  }
  bool is_nothing_left() {
    std::uint64_t sent = 0, handled = 0;
    for (auto& n : all) {
      if (!n.left.empty()) return false;
      sent += n.job.messages().sent;
      handled += n.job.messages().handled;
    }
    return sent == handled;
  }
  void poll(worker_node& n) {
    const visit here(n.context);
    n.job.poll();
  }
  /// Work may create more work on other nodes.
  void do_work(worker_node& n) {
    if (n.left.empty()) return;
    const std::uint32_t depth = n.left.front();
    n.left.pop_front();
    ++n.progress;
    for (unsigned i = 0; depth && i < random() % 3; ++i) {
      const auto to = static_cast<dist::rank>(random() % all.size());
      if (to != n.job.self()) n.job.send(to, test_work{depth - 1});
      else n.left.push_back(depth - 1);
    }
  }
  std::optional<base::wait_snapshot> look_after(worker_node& n) {
    now += std::chrono::microseconds(random() % 1000);
    return n.watch.advance([&] { return n.state(); }, 1, now);
  }

  std::mt19937_64 random;
  std::shared_ptr<net::sim::network> network;
  std::deque<worker_node> all;
  job_hang_detector::clock::time_point now{};
};

}  // namespace

TEST_CASE("a job that may still make progress is never reported, and a job that cannot always is") {
  for (std::uint64_t seed = 0; seed < test::scaled_of_one_thread(300u, 30000u); ++seed) {
    CAPTURE(seed);
    trial t(seed, 2 + static_cast<std::uint32_t>(seed % 7));
    for (unsigned i = 0; i < t.random() % 5; ++i)
      t.all[t.random() % t.all.size()].left.push_back(static_cast<std::uint32_t>(t.random() % 8));
    unsigned since_end = 0;
    bool is_accused = false;
    while (!is_accused) {
      const bool is_over = t.is_nothing_left();
      since_end += is_over;
      REQUIRE(since_end < 100000);
      auto& n = t.all[t.random() % t.all.size()];
      switch (t.random() % 4) {
        case 0: t.poll(n); break;
        case 1: t.do_work(n); break;
        case 2:
          if (t.random() % 10 == 0) n.watch.request_verdict(job_hang_detector::verdict_request::proven_only);
          break;
        default:
          if (const auto told = t.look_after(n)) {
            REQUIRE(told->is_proven);
            REQUIRE(is_over);
            CHECK(told->of_nodes == t.all.size());
            is_accused = true;
          }
      }
    }
  }
}

TEST_CASE("a node that does not reply is named, once") {
  trial t(3, 3);
  auto& judge = t.all[0];
  judge.watch.request_verdict(job_hang_detector::verdict_request::any);
  std::optional<base::wait_snapshot> told;
  for (unsigned i = 0; i < 20000 && !told; ++i) {
    for (auto& n : t.all) t.poll(n);
    t.look_after(t.all[1]);
    told = t.look_after(judge);
  }
  REQUIRE(told);
  CHECK_FALSE(told->is_proven);
  REQUIRE(told->unproven.size() == 1);
  CHECK(told->unproven[0].find("N2 does not answer") != std::string::npos);
  CHECK(judge.watch.last_verdict() == job_hang_detector::verdict::reported);
  judge.watch.request_verdict(job_hang_detector::verdict_request::any);
  for (unsigned i = 0; i < 20000; ++i) {
    for (auto& n : t.all) t.poll(n);
    CHECK_FALSE(t.look_after(judge));
  }
}

TEST_CASE("a stalled node learns that another node makes progress, and nothing is reported") {
  trial t(5, 2);
  t.all[0].left.push_back(0);  // never done
  t.all[1].watch.request_verdict(job_hang_detector::verdict_request::proven_only);
  for (unsigned i = 0; i < 20000 && t.all[1].watch.last_verdict() == job_hang_detector::verdict::none; ++i)
    for (auto& n : t.all) {
      t.poll(n);
      CHECK_FALSE(t.look_after(n));
    }
  CHECK(t.all[1].watch.last_verdict() == job_hang_detector::verdict::progress_elsewhere);
  t.all[1].watch.forget();
  CHECK(t.all[1].watch.last_verdict() == job_hang_detector::verdict::none);
}

TEST_CASE("the coordinator is deciding from the request until its verdict") {
  trial t(7, 2);
  auto &judge = t.all[0], &other = t.all[1];
  const auto begun = job_hang_detector::clock::now();
  CHECK_FALSE(judge.watch.is_deciding(begun));
  CHECK_FALSE(other.watch.is_deciding(begun));
  other.watch.request_verdict(job_hang_detector::verdict_request::proven_only);
  for (unsigned i = 0; i < 20000 && !other.watch.is_deciding(begun); ++i) {
    t.poll(judge);
    t.look_after(judge);
    t.poll(other);
  }
  CHECK(other.watch.is_deciding(begun));
  CHECK_FALSE(
      other.watch.is_deciding(job_hang_detector::clock::now() + std::chrono::hours(1)));  // it was queried long before
  CHECK(judge.watch.is_deciding(begun));
  for (unsigned i = 0; i < 20000 && judge.watch.is_deciding(begun); ++i)
    for (auto& n : t.all) {
      t.poll(n);
      t.look_after(n);
    }
  CHECK_FALSE(judge.watch.is_deciding(begun));
}
