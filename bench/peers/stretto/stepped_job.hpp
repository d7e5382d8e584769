// stepped_job.hpp - eight nodes on a simulated network whose time is counted: a message takes 1 to 3 us, what a node
// computes takes none.
//
// Threads     one steps all nodes, so that figures are the same each time and know nothing of this machine.
#pragma once

#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <cstdint>
#include <memory>
#include <vector>

class stepped_job {
 public:
  static constexpr std::uint32_t nodes = 8;

  stepped_job() {
    for (std::uint32_t n = 0; n < nodes; ++n)
      all_.push_back(std::make_unique<stretto::runtime>(
          stretto::runtime_options{.workers = 1, .devices = "none", .stepped = true, .job = network_.endpoint(n)}));
  }
  ~stepped_job() {
    for (auto& rt : all_) rt->leave();
    step_until([](const stretto::runtime& rt) { return rt.is_job_over(); });
  }
  template <class F>
  void on_each(F&& body) {
    for (std::uint32_t n = 0; n < nodes; ++n) {
      const stretto::attached_thread here(*all_[n]);
      body(n);
    }
  }
  /// Steps all nodes round-robin until the condition holds on each.
  template <class F>
  void step_until(F&& is_so) {
    for (bool all = false; !all;) {
      all = true;
      for (auto& rt : all_) rt->step();
      for (auto& rt : all_) all = is_so(*rt) && all;
    }
  }
  /// Until no message is on its way: time has stood still for many steps.
  void settle() {
    double since = -1;
    for (int still = 0; still < 100; ++still) {
      for (auto& rt : all_) rt->step();
      if (seconds() != since) since = seconds(), still = 0;
    }
  }
  double seconds() const { return network_.seconds(); }

 private:
  stretto::simulated_job network_{stretto::simulated_network{.nodes = nodes, .seed = 5}};
  std::vector<std::unique_ptr<stretto::runtime>> all_;
};
