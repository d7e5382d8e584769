// Horizon settings that change during a program: at the same point on every node, however far apart nodes are.
#include <stretto/buffer.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "buffers/buffers_state.hpp"
#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(begin_chain, (out<int> x), { x(global_id(0)) = global_id(0); })
STRETTO_KERNEL(next_of_chain, (in<int> x, out<int> y, int n), { y(global_id(0)) = x((global_id(0) + 1) % n) + 1; })

std::uint64_t horizons_so_far() { return buffers::state_of(*base::current()->runtime)->tasks.horizons(); }

/// Launches in a chain; returns the number of horizons after each.
class chain {
 public:
  explicit chain(int n) : n_(n), x_(box(0, n)), y_(box(0, n)) { launch(begin_chain, x_.elements(), x_(one_to_one)); }
  void step() {
    launch(next_of_chain, x_.elements(), x_(wrapped(1)), y_(one_to_one), n_);
    std::swap(x_, y_);
    counts.push_back(horizons_so_far());
  }
  int last() { return x_.read().get().view()(0); }
  std::vector<std::uint64_t> counts;

 private:
  const int n_;
  buffer<int> x_, y_;
};

}  // namespace

TEST_CASE("horizon settings apply from the call of set_horizons on") {
  const test::with_variable at_once("STRETTO_PIPELINE", "off");  // the counts must include all launches so far
  runtime rt({.workers = 1, .devices = "none"});
  rt.run([] {
    chain c(8);
    const auto more_in = [&](int steps) {
      const std::uint64_t before = horizons_so_far();
      for (int i = 0; i < steps; ++i) c.step();
      return horizons_so_far() - before;
    };
    set_horizons({.step = 1, .most_parallel = 0});
    CHECK(more_in(10) == 10);
    set_horizons({.step = 5, .most_parallel = 0});
    CHECK(more_in(20) == 4);
    set_horizons({.step = 0, .most_parallel = 0});
    CHECK(more_in(50) == 0);
    set_horizons({.step = 2, .most_parallel = 0});
    CHECK(more_in(1) == 1);  // the chain has grown by more than two
    CHECK(more_in(20) == 10);
  });
}

TEST_CASE("horizons change at the same point of the program on all nodes, however they are delayed") {
  const test::with_variable at_once("STRETTO_PIPELINE", "off");
  for (std::uint32_t seed = 0; seed < test::scaled(12u, 300u); ++seed) {
    CAPTURE(seed);
    const std::uint32_t nodes = 2 + seed % 4;
    std::vector<std::vector<std::uint64_t>> counts(nodes);
    std::vector<int> last(nodes);
    test::on_nodes_of(simulated_job({.nodes = nodes, .seed = seed}),
                      {.workers = 1 + seed % 2, .devices = seed % 3 ? "none" : "sim:2"}, [&](runtime& rt) {
                        std::mt19937 random(seed), own(seed * 16 + rt.node());
                        chain c(24);
                        for (int i = 0; i < 60; ++i) {
                          if (random() % 5 == 0)
                            set_horizons({.step = random() % 6, .most_parallel = random() % 3 ? 0 : 2 + random() % 7});
                          if (own() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(own() % 500));
                          c.step();
                        }
                        last[rt.node()] = c.last();
                        counts[rt.node()] = c.counts;
                      });
    for (std::uint32_t n = 0; n < nodes; ++n) {
      CAPTURE(n);
      CHECK(counts[n] == counts[0]);
      CHECK(last[n] == 60 % 24 + 60);
    }
    CHECK(counts[0].back() > 0);
  }
}

}  // namespace stretto
