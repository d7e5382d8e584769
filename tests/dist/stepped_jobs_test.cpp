// Whole runtimes of a job that one thread steps in an order from a seed: the same seed gives the same run.
#include <stretto/job.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

std::string* journal = nullptr;  // only the stepping thread

long passed_on(long value, int left) {
  *journal += std::to_string(this_node()) + ' ';
  if (left == 0) return value;
  return async(at_node((this_node() + std::uint32_t(value % 3) + 1) % job_nodes()),
               call<&passed_on>(value * 7 + 1, left - 1))
      .get();
}

/// All that happened, with times by the clock of the simulated network.
std::string run_from(std::uint64_t seed) {
  std::string said;
  journal = &said;
  std::mt19937_64 random(seed);
  const auto nodes = static_cast<std::uint32_t>(1 + random() % 4);
  const simulated_job job({.nodes = nodes, .seed = seed});
  std::vector<std::unique_ptr<runtime>> all;
  for (std::uint32_t n = 0; n < nodes; ++n)
    all.push_back(std::make_unique<runtime>(
        runtime_options{.workers = 1 + n % 2, .seed = seed, .stepped = true, .job = job.endpoint(n)}));
  std::vector<future<long>> results;
  long expected = 5;
  for (int i = 0; i < 6; ++i) expected = expected * 7 + 1;
  for (auto& rt : all) {
    const attached_thread here(*rt);
    results.push_back(async(call<&passed_on>(5, 6)));
  }
  const auto step_until = [&](auto&& is_so) {
    for (std::uint64_t i = 0; !is_so(); ++i) {
      REQUIRE(i < 1'000'000);
      all[random() % nodes]->step();
    }
  };
  step_until([&] {
    for (std::uint32_t n = 0; n < nodes; ++n) {
      const attached_thread here(*all[n]);
      if (!results[n].is_ready()) return false;
    }
    return true;
  });
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const attached_thread here(*all[n]);
    CHECK(results[n].get() == expected);
    results[n] = {};
  }
  for (auto& rt : all) rt->leave();
  step_until([&] {
    for (auto& rt : all)
      if (!rt->is_job_over()) return false;
    return true;
  });
  all.clear();
  return said + std::to_string(job.seconds());
}

TEST_CASE("one thread steps all nodes of a job, and a seed replays exactly") {
  std::set<std::string> runs;
  const auto seeds = std::max<std::uint64_t>(10, test::scaled_of_one_thread<std::uint64_t>(20, 2'000));
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    const std::string once = run_from(seed);
    CHECK(run_from(seed) == once);
    runs.insert(once);
  }
  CHECK(runs.size() >= 5);  // other seeds give other runs
}

TEST_CASE("a runtime with threads of its own leaves its job by ending") {
  runtime rt({.workers = 1});
  CHECK(test::error_of([&] { rt.leave(); }).code() == "S01");
  CHECK(rt.is_job_over());
}

}  // namespace
}  // namespace stretto
