#include "mobile/reply_batcher.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "dist/job.hpp"
#include "net/sim/network.hpp"

namespace stretto::mobiles {
namespace {

using add_result = reply_batcher::add_result;

struct node {
  explicit node(std::uint32_t nodes) : network(net::sim::network::make({.nodes = nodes})), waiting(job) {
    job.start([&](net::handlers& all) { return network->join(0, all); });
  }
  add_result add(dist::rank to, std::uint64_t request) {
    const add_result is = waiting.add(to, request, full);
    if (is == add_result::filled_batch) waiting.batch_sent();
    return is;
  }
  std::vector<std::uint64_t> last() const { return {full.all().begin(), full.all().end()}; }
  std::vector<std::uint64_t> taken(dist::rank from) {
    const auto b = waiting.take_batch(from);
    if (b.count) waiting.batch_sent();
    const auto all = b.all();
    return {all.begin(), all.end()};
  }
  std::shared_ptr<net::sim::network> network;
  dist::job job;
  reply_batcher waiting;
  reply_batcher::batch full;
};

TEST_CASE("short replies wait in a batch for each node, and the node is not idle meanwhile") {
  node n(3);
  n.waiting.start(true);
  CHECK(n.waiting.is_empty());
  CHECK_FALSE(n.job.has_incoming_data());
  CHECK(n.add(1, 10) == add_result::opened_batch);
  CHECK(n.add(2, 20) == add_result::opened_batch);
  CHECK(n.add(1, 11) == add_result::joined_batch);
  CHECK_FALSE(n.waiting.is_empty());
  CHECK(n.job.has_incoming_data());
  CHECK(n.taken(1) == std::vector<std::uint64_t>{10, 11});
  CHECK(n.taken(1).empty());
  CHECK(n.job.has_incoming_data());
  CHECK(n.taken(2) == std::vector<std::uint64_t>{20});
  CHECK(n.waiting.is_empty());
  CHECK_FALSE(n.job.has_incoming_data());
  CHECK(n.add(1, 12) == add_result::opened_batch);
  CHECK(n.taken(1) == std::vector<std::uint64_t>{12});
}

TEST_CASE("a batch is sent when it is full") {
  node n(2);
  n.waiting.start(true);
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 1; i <= reply_batcher::max_replies; ++i) {
    all.push_back(i);
    CHECK(n.add(1, i) == (i == 1                            ? add_result::opened_batch
                          : i == reply_batcher::max_replies ? add_result::filled_batch
                                                            : add_result::joined_batch));
  }
  CHECK(n.last() == all);
  CHECK(n.taken(1).empty());
  CHECK_FALSE(n.job.has_incoming_data());
}

TEST_CASE("a poll sends all open batches; the batch for a failed node is dropped") {
  node n(4);
  n.waiting.start(true);
  for (std::uint64_t i = 0; i < 9; ++i) n.add(static_cast<dist::rank>(1 + i % 3), i);
  n.waiting.on_node_failed(2);
  n.waiting.on_node_failed(2);
  std::map<dist::rank, std::vector<std::uint64_t>> sent;
  n.waiting.flush([&](dist::rank to, const reply_batcher::batch& b) { sent[to] = {b.all().begin(), b.all().end()}; });
  CHECK(sent == std::map<dist::rank, std::vector<std::uint64_t>>{{1, {0, 3, 6}}, {3, {2, 5, 8}}});
  CHECK(n.waiting.is_empty());
  CHECK_FALSE(n.job.has_incoming_data());
  n.waiting.flush([](dist::rank, const reply_batcher::batch&) { FAIL("nothing waits"); });
}

TEST_CASE("the first replies are sent at once, and a reply after a pause completes the batch") {
  node n(2);
  n.waiting.start(false);
  for (std::uint64_t i = 0; i < 4; ++i) CHECK(n.add(1, i) == add_result::send_now);
  std::this_thread::sleep_for(std::chrono::microseconds(100));
  CHECK(n.add(1, 4) == add_result::send_now);
  add_result last = add_result::send_now;
  for (std::uint64_t i = 5; i < 100'000 && last == add_result::send_now; ++i) last = n.add(1, i);
  REQUIRE(last == add_result::opened_batch);
  std::this_thread::sleep_for(std::chrono::microseconds(100));
  CHECK(n.add(1, 7) == add_result::filled_batch);
  CHECK(n.last().size() == 2);
  CHECK(n.last().back() == 7);
  CHECK(n.add(1, 8) == add_result::send_now);
}

TEST_CASE("replies added by many threads are taken once, while another thread takes batches") {
  constexpr std::uint64_t threads = 3, each = 20'000;
  node n(3);
  n.waiting.start(true);
  std::vector<std::vector<std::uint64_t>> found(threads + 1);
  const auto keep = [](std::vector<std::uint64_t>& to, const reply_batcher::batch& b) {
    to.insert(to.end(), b.all().begin(), b.all().end());
  };
  std::atomic<std::uint64_t> working{threads};
  std::vector<std::thread> all;
  for (std::uint64_t t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < each; ++i) {
        const auto to = static_cast<dist::rank>(1 + i % 2);
        reply_batcher::batch full;
        if (n.waiting.add(to, t * each + i, full) == add_result::filled_batch)
          keep(found[t], full), n.waiting.batch_sent();
      }
      --working;
    });
  while (working) n.waiting.flush([&](dist::rank, const reply_batcher::batch& b) { keep(found[threads], b); });
  for (std::thread& t : all) t.join();
  n.waiting.flush([&](dist::rank, const reply_batcher::batch& b) { keep(found[threads], b); });
  std::set<std::uint64_t> once;
  std::size_t count = 0;
  for (const auto& f : found) once.insert(f.begin(), f.end()), count += f.size();
  CHECK(count == threads * each);
  CHECK(once.size() == count);
  CHECK(n.waiting.is_empty());
  CHECK_FALSE(n.job.has_incoming_data());
}

}  // namespace
}  // namespace stretto::mobiles
