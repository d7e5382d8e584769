#include "dist/job_clock.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <deque>

#include "dist/cluster.hpp"
#include "net/sim/network.hpp"

using namespace stretto;
using dist::job_clock;

namespace {

constexpr std::int64_t ahead_ns = -7'000'000'000;

/// A microsecond passes between two readings, however busy the machine is.
std::int64_t counted() {
  static std::int64_t now_ns = 0;
  return now_ns += 1'000;
}
std::int64_t ahead() { return counted() - ahead_ns; }

struct clock_node {
  clock_node(net::sim::network& network, net::node_number rank, job_clock::reading now) : clock(job, now) {
    job.start([&](net::handlers& all) { return network.join(rank, all); });
    runtime.node = job.node();
    context.runtime = &runtime;
  }
  void poll() {
    const testing::visit here(context);
    job.poll();
  }

  base::runtime_context runtime;
  base::thread_context context;
  dist::job job;
  job_clock clock;
};

void settle(std::deque<clock_node>& all) {
  bool is_pending = true;
  while (is_pending) {
    is_pending = false;
    for (clock_node& n : all) {
      n.poll();
      is_pending |= n.job.is_pending();
    }
  }
}

}  // namespace

TEST_CASE("a node whose clock is ahead knows by how much, and one that shares node 0's clock has the offset 0") {
  const auto network = net::sim::network::make({.nodes = 3, .seed = 1, .latency_seconds = 1e-6});
  std::deque<clock_node> all;
  all.emplace_back(*network, net::node_number{0}, counted);
  all.emplace_back(*network, net::node_number{1}, ahead);
  all.emplace_back(*network, net::node_number{2}, counted);
  CHECK(all[1].clock.offset_ns() == 0);
  for (const auto when : {job_clock::measuring_point::beginning, job_clock::measuring_point::end}) {
    for (clock_node& n : all) n.clock.measure(when);
    settle(all);
    CHECK(all[0].clock.offset_ns() == 0);
    CHECK(std::abs(all[1].clock.offset_ns() - ahead_ns) < 10'000);
    CHECK(all[2].clock.offset_ns() == 0);
  }
  CHECK(all[1].job.messages().sent == 0);
}
