// Readers of a reservation on several nodes, each a runtime with threads of its own on a simulated network.
#include <stretto/barrier.hpp>
#include <stretto/job.hpp>
#include <stretto/remote.hpp>
#include <stretto/reservation.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include "dist/simulated.hpp"

namespace stretto {
namespace {

using test::on_all_nodes;

/// Holds the reservation together with all other readers, which it proves by meeting them at a barrier.
long read_together(reservation r, barrier met) {
  const event held = r.acquire(shared);
  const future<long> read = async(after(held), name("reader"), [=] {
    met.arrive();
    wait(met);
    return r.payload_as<long>();
  });
  wait(r.release(read));
  return read.get();
}
void add_one(reservation r) {
  wait(r.acquire());
  ++r.payload_as<long>();
  wait(r.release());
}

TEST_CASE("readers of several nodes meet at a barrier while they hold a reservation") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const std::uint32_t nodes : {1u, 2u, 4u})
      on_all_nodes({.nodes = nodes, .seed = seed, .jitter_seconds = seed % 2 ? 1e-6 : 1e-4},
                   1 + static_cast<std::uint32_t>(seed % 2), [](runtime&) {
                     if (this_node() != 0) return;
                     const auto r = reservation::create({.payload_bytes = sizeof(long)});
                     const std::uint32_t all = 2 * job_nodes();
                     auto met = barrier::create(all);
                     for (long round = 0; round < 5; ++round, met = met.advance()) {
                       const std::uint32_t writer = static_cast<std::uint32_t>(round) % job_nodes();
                       async(at_node(writer), call<&add_one>(r)).get();
                       std::vector<future<long>> read;
                       for (std::uint32_t i = 0; i < all; ++i)
                         read.push_back(async(at_node(i % job_nodes()), call<&read_together>(r, met)));
                       for (const auto& f : read) CHECK(f.get() == round + 1);
                     }
                     r.destroy();
                   });
}

TEST_CASE("a task waits for a barrier of another node") {
  on_all_nodes({.nodes = 3}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const auto met = barrier::create(3);
    std::vector<future<void>> all;
    for (std::uint32_t n = 0; n < 3; ++n)
      all.push_back(async(at_node(n), call(
                                          [](barrier b) {
                                            b.arrive();
                                            wait(b);
                                            wait(b);  // and the order after what has happened
                                            if (!b.has_triggered()) throw std::runtime_error("it has not happened");
                                          },
                                          met)));
    for (const auto& f : all) f.get();
  });
}

}  // namespace
}  // namespace stretto
