// Reservations and barriers that tasks on several nodes use, each node a runtime with threads of its own.
#include <stretto/barrier.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/remote.hpp>
#include <stretto/reservation.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "dist/simulated.hpp"

namespace stretto {
namespace {

using test::on_all_nodes;

/// Increments the payload `times` times, each time with an exclusive acquire.
void count_up(reservation r, int times) {
  for (int i = 0; i < times; ++i) {
    wait(r.acquire());
    long& n = r.payload_as<long>();
    const long before = n;
    yield();
    n = before + 1;
    r.release();
  }
}

struct sum {
  using value_type = long;
  static long identity() { return 0; }
  static void apply(long& into, const long& value) { into += value; }
};

/// Arrives once per phase; returns the reduced values of the phases.
std::vector<long> go_through(reducing_barrier<sum> b, int phases) {
  std::vector<long> results;
  for (int p = 0; p < phases; ++p, b = b.advance()) {
    b.arrive_with(long(this_node() + 1) * (p + 1));
    wait(b);
    results.push_back(b.result().value());
  }
  return results;
}

TEST_CASE("tasks of all nodes count with one reservation") {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    on_all_nodes({.nodes = 3, .seed = seed}, 2, [](runtime&) {
      if (this_node() != 0) return;
      const auto r = reservation::create({.payload_bytes = sizeof(long)});
      finish([&] {
        for (std::uint32_t n = 0; n < job_nodes(); ++n)
          for (int t = 0; t < 3; ++t) async(at_node(n), call<&count_up>(r, 20));
      });
      wait(r.acquire());
      CHECK(r.payload_as<long>() == 180);
      r.release();
      r.destroy();
    });
}

TEST_CASE("tasks of all nodes pass the phases of one barrier, and see the reduced values") {
  on_all_nodes({.nodes = 4}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const auto b = reducing_barrier<sum>::create(job_nodes());
    std::vector<future<std::vector<long>>> all;
    for (std::uint32_t n = 0; n < job_nodes(); ++n) all.push_back(async(at_node(n), call<&go_through>(b, 12)));
    for (const auto& f : all) {
      const std::vector<long> results = f.get();
      for (int p = 0; p < 12; ++p) CHECK(results.at(std::size_t(p)) == 10L * (p + 1));
    }
    b.destroy();
  });
}

}  // namespace
}  // namespace stretto
