#include "mobile/short_answers.hpp"

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

using added = short_answers::added;

struct node {
  explicit node(std::uint32_t nodes) : network(net::sim::network::make({.nodes = nodes})), waiting(job) {
    job.start([&](net::handlers& all) { return network->join(0, all); });
  }
  added add(dist::rank to, std::uint64_t request) {
    const added is = waiting.add(to, request, full);
    if (is == added::last) waiting.end();
    return is;
  }
  std::vector<std::uint64_t> last() const { return {full.all().begin(), full.all().end()}; }
  std::vector<std::uint64_t> taken(dist::rank from) {
    const auto b = waiting.take(from);
    if (b.count) waiting.end();
    const auto all = b.all();
    return {all.begin(), all.end()};
  }
  std::shared_ptr<net::sim::network> network;
  dist::job job;
  short_answers waiting;
  short_answers::batch full;
};

TEST_CASE("short answers wait for one another, each node's by themselves, and the node is not idle meanwhile") {
  node n(3);
  n.waiting.serve(true);
  CHECK(n.waiting.is_empty());
  CHECK_FALSE(n.job.has_incoming_data());
  CHECK(n.add(1, 10) == added::first);
  CHECK(n.add(2, 20) == added::first);
  CHECK(n.add(1, 11) == added::another);
  CHECK_FALSE(n.waiting.is_empty());
  CHECK(n.job.has_incoming_data());
  CHECK(n.taken(1) == std::vector<std::uint64_t>{10, 11});
  CHECK(n.taken(1).empty());
  CHECK(n.job.has_incoming_data());
  CHECK(n.taken(2) == std::vector<std::uint64_t>{20});
  CHECK(n.waiting.is_empty());
  CHECK_FALSE(n.job.has_incoming_data());
  CHECK(n.add(1, 12) == added::first);
  CHECK(n.taken(1) == std::vector<std::uint64_t>{12});
}

TEST_CASE("a batch is full before it has no more room") {
  node n(2);
  n.waiting.serve(true);
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 1; i <= short_answers::most; ++i) {
    all.push_back(i);
    CHECK(n.add(1, i) == (i == 1 ? added::first : i == short_answers::most ? added::last : added::another));
  }
  CHECK(n.last() == all);
  CHECK(n.taken(1).empty());
  CHECK_FALSE(n.job.has_incoming_data());
}

TEST_CASE("a poll sends all that wait; those for a node that is lost are forgotten") {
  node n(4);
  n.waiting.serve(true);
  for (std::uint64_t i = 0; i < 9; ++i) n.add(static_cast<dist::rank>(1 + i % 3), i);
  n.waiting.lost(2);
  n.waiting.lost(2);
  std::map<dist::rank, std::vector<std::uint64_t>> sent;
  n.waiting.take_all([&](dist::rank to, const short_answers::batch& b) { sent[to] = {b.all().begin(), b.all().end()}; });
  CHECK(sent == std::map<dist::rank, std::vector<std::uint64_t>>{{1, {0, 3, 6}}, {3, {2, 5, 8}}});
  CHECK(n.waiting.is_empty());
  CHECK_FALSE(n.job.has_incoming_data());
  n.waiting.take_all([](dist::rank, const short_answers::batch&) { FAIL("nothing waits"); });
}

TEST_CASE("where time passes, few answers go at once, and one behind a pause takes along what waits") {
  node n(2);
  n.waiting.serve(false);
  for (std::uint64_t i = 0; i < 4; ++i) CHECK(n.add(1, i) == added::not_at_all);
  std::this_thread::sleep_for(std::chrono::microseconds(100));
  CHECK(n.add(1, 4) == added::not_at_all);
  added last = added::not_at_all;
  for (std::uint64_t i = 5; i < 100'000 && last == added::not_at_all; ++i) last = n.add(1, i);
  REQUIRE(last == added::first);
  std::this_thread::sleep_for(std::chrono::microseconds(100));
  CHECK(n.add(1, 7) == added::last);
  CHECK(n.last().size() == 2);
  CHECK(n.last().back() == 7);
  CHECK(n.add(1, 8) == added::not_at_all);
}

TEST_CASE("answers that many threads add are taken once, while another takes what waits") {
  constexpr std::uint64_t threads = 3, each = 20'000;
  node n(3);
  n.waiting.serve(true);
  std::vector<std::vector<std::uint64_t>> found(threads + 1);
  const auto keep = [](std::vector<std::uint64_t>& to, const short_answers::batch& b) { to.insert(to.end(), b.all().begin(), b.all().end()); };
  std::atomic<std::uint64_t> working{threads};
  std::vector<std::thread> all;
  for (std::uint64_t t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < each; ++i) {
        const auto to = static_cast<dist::rank>(1 + i % 2);
        short_answers::batch full;
        if (n.waiting.add(to, t * each + i, full) == added::last) keep(found[t], full), n.waiting.end();
      }
      --working;
    });
  while (working) n.waiting.take_all([&](dist::rank, const short_answers::batch& b) { keep(found[threads], b); });
  for (std::thread& t : all) t.join();
  n.waiting.take_all([&](dist::rank, const short_answers::batch& b) { keep(found[threads], b); });
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
