// stepped_job.hpp - all nodes of a job, stepped by one thread in an order from a seed.
#pragma once

#include <doctest/doctest.h>

#include <stretto/job.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <utility>

namespace stretto::test {

/// A job stepped by one thread.
class stepped_job {
 public:
  stepped_job(std::uint64_t seed, std::uint32_t nodes, std::mt19937_64& random)
      : random_(random),
        job_({.nodes = nodes,
              .seed = seed,
              .jitter_seconds = seed % 2 ? 2e-6 : 1e-4,
              .bandwidth_bytes_per_second = seed % 3 ? 1e7 : 1e10}) {
    for (std::uint32_t n = 0; n < nodes; ++n)
      all_.push_back(std::make_unique<runtime>(
          runtime_options{.workers = 1 + n % 2, .seed = seed, .stepped = true, .job = job_.endpoint(n)}));
  }
  ~stepped_job() {
    for (auto& rt : all_) rt->leave();
    step_until([&] {
      for (auto& rt : all_)
        if (!rt->is_job_over()) return false;
      return true;
    });
  }
  std::uint32_t draw() { return static_cast<std::uint32_t>(random_() % all_.size()); }
  void step(std::uint64_t times) {
    for (; times; --times) all_[draw()]->step();
  }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(all_.size()); }
  void kill(std::uint32_t n) const { job_.kill(n); }
  void begin_on(std::uint32_t n, std::function<void()> task) {
    const attached_thread here(*all_[n]);
    async(std::move(task));
  }
  template <class F>
  void step_until(F&& is_so) {
    for (std::uint64_t i = 0; i % 64 || !is_so(); ++i) {
      if (i == 2'000'000) FAIL("no end of " << all_.size() << " nodes");
      all_[draw()]->step();
    }
  }
  /// Runs `task` to its end, on some node.
  void run(const std::function<void()>& task) { run_on(draw(), task); }
  void run_on(std::uint32_t n, const std::function<void()>& task) {
    future<void> done;
    {
      const attached_thread here(*all_[n]);
      done = async([&] { task(); });
    }
    step_until([&] { return done.is_ready(); });
    const attached_thread here(*all_[n]);
    done.get();
    done = {};
  }

 private:
  std::mt19937_64& random_;
  const simulated_job job_;
  std::deque<std::unique_ptr<runtime>> all_;
};

}  // namespace stretto::test
