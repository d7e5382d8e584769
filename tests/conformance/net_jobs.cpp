#include "conformance/net_jobs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "conformance/fake_mpi.hpp"
#include "net/mpi/mpi_transport.hpp"
#include "net/self/self_transport.hpp"

namespace stretto::net {
namespace {

job simulated(std::uint32_t nodes, sim::settings s) {
  s.nodes = nodes;
  return {"sim of " + std::to_string(nodes), nodes, [s](std::vector<std::unique_ptr<scenario>>& all) {
            const auto network = sim::network::make(s);
            std::vector<std::unique_ptr<transport>> made;
            for (std::size_t n = 0; n < all.size(); ++n)
              made.push_back(network->join(static_cast<node_number>(n), all[n]->all));
            return made;
          }};
}

job over_mpi(std::uint32_t nodes, std::uint64_t seed, mpi::threads level) {
  return {"made-up MPI of " + std::to_string(nodes), nodes,
          [=](std::vector<std::unique_ptr<scenario>>& all) {
            fake_mpi::begin(static_cast<int>(nodes), seed, level);
            std::vector<std::unique_ptr<transport>> made;
            // Shared-memory channels that hold all messages, that most payloads wrap around in, and none.
            const std::uint64_t lane_memory =
                std::array<std::uint64_t, 3>{mpi::default_channel_memory, 64 << 10, 0}[seed / 2 % 3];
            for (std::size_t n = 0; n < all.size(); ++n)
              made.push_back(mpi::make(fake_mpi::of_node(static_cast<int>(n)), all[n]->all, level, lane_memory));
            return made;
          },
          over::when_all_are_done};
}

/// Scenarios and their transports, which are destroyed first.
struct nodes {
  std::vector<std::unique_ptr<scenario>> scenarios;
  std::vector<std::unique_ptr<transport>> transports;

  nodes(const job& j, const make_scenario& make) {
    for (std::uint32_t n = 0; n < j.nodes; ++n) scenarios.push_back(make(static_cast<node_number>(n), j.nodes));
    transports = j.make(scenarios);
    for (std::uint32_t n = 0; n < j.nodes; ++n) {
      CHECK(transports[n]->self() == n);
      CHECK(transports[n]->nodes() == j.nodes);
      scenarios[n]->net = transports[n].get();
    }
  }
  void check() {
    for (auto& s : scenarios) {
      s->check();
      const traffic t = s->net->counted();
      if (!s->messages()) continue;
      CHECK(t.sent == s->messages());
      CHECK(t.received == s->messages());
    }
  }
};

}  // namespace

std::vector<job> jobs(std::uint64_t seed) {
  return {{"self", 1,
           [](std::vector<std::unique_ptr<scenario>>& all) {
             std::vector<std::unique_ptr<transport>> made;
             made.push_back(self::make(all[0]->all));
             return made;
           }},
          simulated(1, {.seed = seed}),
          simulated(2, {.seed = seed, .jitter_seconds = 0}),
          simulated(3, {.seed = seed, .jitter_seconds = 1e-4, .eager_bytes = 0}),
          simulated(5, {.seed = seed, .latency_seconds = 0, .bandwidth_bytes_per_second = 1e8, .eager_bytes = 100}),
          over_mpi(1, seed, mpi::threads::multiple),
          over_mpi(2, seed, mpi::threads::serialized),
          over_mpi(4, seed, mpi::threads::multiple)};
}

void run_stepped(const job& j, const make_scenario& make, std::uint64_t seed) {
  nodes all(j, make);
  std::mt19937_64 random(seed);
  for (auto& s : all.scenarios) s->start();
  const auto is_over = [&] {
    for (std::size_t n = 0; n < j.nodes; ++n)
      if (!all.scenarios[n]->is_done() || (j.over == over::when_nothing_is_pending && all.transports[n]->is_pending()))
        return false;
    return true;
  };
  for (std::uint64_t polls = 0; !is_over(); ++polls) {
    REQUIRE(polls < 10'000'000);
    const std::size_t n = random() % j.nodes;
    all.transports[n]->poll();
    all.scenarios[n]->go_on();
  }
  all.check();
}

void run_threaded(const job& j, const make_scenario& make) {
  nodes all(j, make);
  std::atomic<std::uint32_t> done{0};
  std::vector<std::thread> threads;
  for (std::size_t n = 0; n < j.nodes; ++n)
    threads.emplace_back([&, n] {
      all.scenarios[n]->start();
      bool was_done = false;
      while (done < j.nodes) {
        if (!all.transports[n]->poll()) std::this_thread::yield();
        all.scenarios[n]->go_on();
        if (!was_done && all.scenarios[n]->is_done()) was_done = true, ++done;
      }
    });
  for (auto& t : threads) t.join();
  const auto is_pending = [](const auto& t) { return t->is_pending(); };
  while (j.over == over::when_nothing_is_pending &&
         std::any_of(all.transports.begin(), all.transports.end(), is_pending))
    for (auto& t : all.transports) t->poll();
  all.check();
}

}  // namespace stretto::net
