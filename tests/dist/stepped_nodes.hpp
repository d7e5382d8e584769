// stepped_nodes.hpp - all nodes of a simulated job, stepped by one thread in an order from a seed; nodes and links may
// fail.
#pragma once

#include <doctest/doctest.h>

#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace stretto::test {

/// The base of random programs. Their destructors call end_job, which may need what they have.
struct stepped_nodes {
  std::mt19937_64 random;
  const std::uint32_t nodes;
  simulated_job job;
  std::deque<std::unique_ptr<runtime>> all;
  std::vector<bool> is_dead;
  bool has_losses = false;

  /// Each node has some of the devices, if there are any to choose from.
  stepped_nodes(std::uint64_t seed, std::uint32_t most_nodes, std::span<const char* const> devices = {})
      : random(seed),
        nodes(1 + std::uint32_t(random() % most_nodes)),
        job({.nodes = nodes, .seed = seed, .jitter_seconds = random() % 2 ? 2e-6 : 1e-4}),
        is_dead(nodes) {
    for (std::uint32_t n = 0; n < nodes; ++n) {
      runtime_options options{.workers = 1 + n % 2, .seed = seed, .stepped = true, .job = job.endpoint(n)};
      if (!devices.empty()) options.devices = devices[random() % devices.size()];
      all.push_back(std::make_unique<runtime>(options));
    }
  }
  /// After the job has split, messages to a node whose part has ended would keep simulated time from advancing, so a
  /// runtime ends as soon as its part has.
  void end_job() {
    for (auto& rt : all) rt->leave();
    step_until([&] {
      for (auto& rt : all)
        if (rt && rt->is_job_over()) rt.reset();
      return std::ranges::none_of(all, [](const auto& rt) { return rt != nullptr; });
    });
  }

  std::uint32_t draw() { return static_cast<std::uint32_t>(random() % nodes); }
  template <class F>
  void on(std::uint32_t node, F&& f) {
    const attached_thread here(*all[node]);
    f();
  }
  void step(std::uint64_t times) {
    for (; times; --times) all[draw()]->step();
  }
  /// `state` says what still waits when the test fails because of no end.
  template <class F>
  void step_until(F&& is_so, const std::function<std::string()>& state = {}) {
    for (std::uint64_t i = 0; i % 64 || !is_so(); ++i) {
      if (i == 2'000'000) FAIL("no end of " << nodes << " nodes" << (state ? state() : std::string()));
      if (const auto& rt = all[draw()]) rt->step();
    }
  }
  /// A node fails, a link is cut, or all links between two parts of the job are cut.
  void lose_some() {
    has_losses = true;
    const std::uint32_t one = draw(), other = draw();
    const auto how = random() % 16;
    if (how < 7) {
      job.kill(one);
      is_dead[one] = true;
    } else if (how < 15) {
      if (one != other) job.cut(one, other);
    } else {
      for (std::uint32_t a = 0; a <= one; ++a)
        for (std::uint32_t b = one + 1; b < nodes; ++b) job.cut(a, b);
    }
  }
};

}  // namespace stretto::test
