// Waits with a deadline for events of other nodes, on a clock that all nodes share and the test advances.
#include <stretto/barrier.hpp>
#include <stretto/job.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>
#include <stretto/timed_wait.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "campaign.hpp"
#include "dist/simulated.hpp"

namespace stretto {
namespace {

using namespace std::chrono_literals;

bool waits_until(const barrier& b, std::int64_t ns) {
  return wait(b, until(manual_clock::time_point(std::chrono::nanoseconds(ns))));
}
bool waits_for_event(event e, std::int64_t ns) {
  return wait(e, until(manual_clock::time_point(std::chrono::nanoseconds(ns))));
}
void arrives(const barrier& b) { b.arrive(); }

/// The nodes of a job, which one thread steps in an order from a seed.
struct stepped_nodes {
  const simulated_job job;
  std::mt19937_64 random;
  const std::shared_ptr<manual_clock> clock = std::make_shared<manual_clock>();
  std::vector<std::unique_ptr<runtime>> all;

  stepped_nodes(std::uint32_t nodes, std::uint64_t seed) : job({.nodes = nodes, .seed = seed}), random(seed) {
    for (std::uint32_t n = 0; n < nodes; ++n)
      all.push_back(std::make_unique<runtime>(runtime_options{
          .workers = 1 + n % 2, .seed = seed, .stepped = true, .job = job.endpoint(n), .clock = clock}));
  }
  ~stepped_nodes() {
    for (auto& rt : all) rt->leave();
    settle([&] {
      for (auto& rt : all)
        if (!rt->is_job_over()) return false;
      return true;
    });
  }
  template <class F>
  auto on(std::uint32_t n, F&& f) {
    const attached_thread here(*all[n]);
    return f();
  }
  void step_one() { all[random() % all.size()]->step(); }
  /// Far more steps than any message and its consequences take.
  void settle() {
    for (int i = 0; i < 3'000; ++i) step_one();
  }
  template <class IsSo>
  void settle(IsSo&& is_so) {
    for (std::uint64_t i = 0; !is_so(); ++i) {
      REQUIRE(i < 10'000'000);
      step_one();
    }
  }
};

}  // namespace

TEST_SUITE_BEGIN("dist");

TEST_CASE("a barrier over nodes is waited for until a deadline, on its own node and on others") {
  for (std::uint32_t nodes = 2; nodes <= 4; ++nodes) {
    CAPTURE(nodes);
    stepped_nodes job(nodes, nodes);
    const barrier b = job.on(0, [&] { return barrier::create(nodes); });
    std::vector<future<bool>> early(nodes), late(nodes);
    for (std::uint32_t n = 0; n < nodes; ++n)
      job.on(n, [&] {
        early[n] = async([=] { return waits_until(b, 1000); });
        late[n] = async([=] { return waits_until(b, 5000); });
      });
    const auto are_ready = [&](const std::vector<future<bool>>& some, bool wanted) {
      for (std::uint32_t n = 0; n < nodes; ++n)
        if (job.on(n, [&] { return some[n].is_ready(); }) != wanted) return false;
      return true;
    };
    job.clock->advance(999ns);
    job.settle();
    CHECK(are_ready(early, false));
    job.clock->advance(1ns);
    job.settle([&] { return are_ready(early, true); });
    CHECK(are_ready(late, false));
    for (std::uint32_t n = 0; n < nodes; ++n)
      job.on(n, [&] {
        CHECK_FALSE(early[n].get());
        b.arrive();
      });
    job.settle([&] { return are_ready(late, true); });
    for (std::uint32_t n = 0; n < nodes; ++n)
      job.on(n, [&] {
        CHECK(late[n].get());
        early[n] = late[n] = {};
      });
  }
}

TEST_CASE(
    "waits for barriers and events of other nodes time out, or see what happened in time, in any order of steps") {
  const int seeds = test::scaled_of_one_thread(20, 400);
  for (int seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    stepped_nodes job(2 + static_cast<std::uint32_t>(seed % 2), static_cast<std::uint64_t>(seed));
    const auto nodes = static_cast<std::uint32_t>(job.all.size());
    const barrier b = job.on(nodes - 1, [&] { return barrier::create(2); });
    const user_event e = job.on(1, [&] { return user_event::create(); });
    struct one {
      std::uint32_t node;
      std::int64_t by;
      bool is_event;
      future<bool> waits;
    };
    std::vector<one> all(12);
    for (one& o : all) {
      o.node = static_cast<std::uint32_t>(job.random() % nodes);
      o.by = static_cast<std::int64_t>(job.random() % 100);
      o.is_event = job.random() % 2 == 0;
      job.on(o.node, [&] {
        if (o.is_event) o.waits = async([=, by = o.by] { return waits_for_event(e, by); });
        else o.waits = async([=, by = o.by] { return waits_until(b, by); });
      });
    }
    job.settle();
    job.clock->advance(50ns);
    job.settle();
    job.on(0, [&] { b.arrive(2), e.trigger(); });
    job.settle([&] {
      for (std::uint32_t n = 0; n < nodes; ++n)
        if (!job.on(n, [&] { return b.has_triggered() && e.has_triggered(); })) return false;
      return true;
    });
    job.clock->advance(50ns);
    job.settle();
    for (one& o : all)
      job.on(o.node, [&] {
        REQUIRE(o.waits.is_ready());
        CHECK(o.waits.get() == (o.by > 50));
        o.waits = {};
      });
  }
}

TEST_CASE("on nodes with threads of their own, waits for a barrier time out and then succeed") {
  const auto clock = std::make_shared<manual_clock>();
  const simulated_job job({.nodes = 3});
  test::on_nodes_of(job, {.workers = 2, .clock = clock}, [&](runtime&) {
    if (this_node() != 0) return;
    const barrier b = barrier::create(3);
    const auto by = within(1us);
    std::vector<future<bool>> waits;
    for (std::uint32_t n = 0; n < 3; ++n)
      waits.push_back(async(at_node(n), call<&waits_until>(b, std::int64_t(by.at.time_since_epoch().count()))));
    clock->advance(1us);
    for (const auto& w : waits) CHECK_FALSE(w.get());
    waits.clear();
    constexpr std::int64_t late = std::int64_t{1} << 60;
    for (std::uint32_t n = 0; n < 3; ++n) waits.push_back(async(at_node(n), call<&waits_until>(b, late)));
    for (std::uint32_t n = 0; n < 3; ++n) async(at_node(n), call<&arrives>(b));
    for (const auto& w : waits) CHECK(w.get());
    b.advance().arrive(2);
    const auto bad = user_event::create();
    b.advance().arrive(bad);
    bad.poison(std::make_exception_ptr(std::runtime_error("no quorum")));
    const auto fails = async(at_node(1), call<&waits_until>(b.advance(), late));
    CHECK_THROWS_WITH(fails.get(), doctest::Contains("no quorum"));
  });
}

TEST_SUITE_END();

}  // namespace stretto
