// node_reservations.cpp - Stretto: reservations that eight nodes request, on a simulated network with virtual time: the
// gain of granting them to waiters of the same node first, by the number of chains and of reservations.
//
// One thread steps all nodes. Only messages take time (1 to 3 us each), grants on one node take none. The figures are
// the times that links wait for reservations. They are deterministic and independent of the machine.
#include <stretto/reservation.hpp>

#include <array>
#include <random>
#include <vector>

#include "base/context.hpp"
#include "dist/dist_floor.hpp"
#include "peers/stretto/benchmarks.hpp"
#include "peers/stretto/stepped_job.hpp"

using namespace stretto;

namespace {

constexpr std::uint32_t nodes = stepped_job::nodes;
constexpr long links = 32;  // of a chain

struct counted {
  double grants_per_us, passes_per_thousand;
};

/// How often reservations have left this node for another.
std::uint64_t passes_of_node() {
  return base::current()->runtime->get<dist::dist_state>(base::floor_slot::dist)->of->reservations().passes();
}

/// So many chains on each node; each link acquires one of the reservations, chosen at random, after the link before,
/// and releases it when it is granted. All links stand before the clock runs.
counted grants_of(long chains, long reservations, std::uint32_t fairness) {
  stepped_job job;
  std::vector<reservation> all(static_cast<std::size_t>(reservations));
  job.on_each([&](std::uint32_t n) {
    for (std::size_t r = n; r < all.size(); r += nodes) all[r] = reservation::create({.fairness = fairness});
  });
  std::minstd_rand numbers(11);
  std::uniform_int_distribution<std::size_t> any(0, all.size() - 1);
  std::array<user_event, nodes> starts;
  std::array<event, nodes> ends;
  job.on_each([&](std::uint32_t n) {
    starts[n] = user_event::create();
    std::vector<event> last;
    for (long c = 0; c < chains; ++c) {
      event before = starts[n];
      for (long i = 0; i < links; ++i) {
        const reservation& r = all[any(numbers)];
        before = r.release(r.acquire(before));
      }
      last.push_back(before);
    }
    ends[n] = merge(last);
  });
  const double since = job.seconds();
  job.on_each([&](std::uint32_t n) { starts[n].trigger(); });
  job.step_until([&](runtime& rt) {
    const attached_thread here(rt);
    return ends[this_node()].has_triggered();
  });
  const double us = (job.seconds() - since) * 1e6;
  std::uint64_t passes = 0;
  job.on_each([&](std::uint32_t) { passes += passes_of_node(); });
  const auto grants = static_cast<double>(nodes * chains * links);
  return {grants / us, static_cast<double>(passes) * 1e3 / grants};
}

constexpr long usual_chains = 32, usual_reservations = 8;

}  // namespace

template <std::uint32_t fairness>
bench::outcome count_grants_of_chains(const bench::options& o) {
  return {grants_of(o.size, usual_reservations, fairness).grants_per_us};
}
template <std::uint32_t fairness>
bench::outcome count_passes_of_chains(const bench::options& o) {
  return {grants_of(o.size, usual_reservations, fairness).passes_per_thousand};
}
template <std::uint32_t fairness>
bench::outcome count_grants_of_reservations(const bench::options& o) {
  return {grants_of(usual_chains, o.size, fairness).grants_per_us};
}
template <std::uint32_t fairness>
bench::outcome count_passes_of_reservations(const bench::options& o) {
  return {grants_of(usual_chains, o.size, fairness).passes_per_thousand};
}

#define STRETTO_OF_FAIRNESS(n)                                                    \
  template bench::outcome count_grants_of_chains<n>(const bench::options&);       \
  template bench::outcome count_passes_of_chains<n>(const bench::options&);       \
  template bench::outcome count_grants_of_reservations<n>(const bench::options&); \
  template bench::outcome count_passes_of_reservations<n>(const bench::options&);
STRETTO_OF_FAIRNESS(0)
STRETTO_OF_FAIRNESS(4)
STRETTO_OF_FAIRNESS(16)
STRETTO_OF_FAIRNESS(256)
#undef STRETTO_OF_FAIRNESS
