// with_sim.cpp - the simulated devices.
#include <atomic>
#include <cstring>
#include <utility>

#include "conformance/devices.hpp"
#include "device/sim/sim_device.hpp"

namespace stretto::device {

namespace {

void copy_on_host(const native_call& on, native_array<const float> from, native_array<float> to, std::int64_t bytes) {
  if (on.is == native_call::kind::host) std::memcpy(to.data, from.data, static_cast<std::size_t>(bytes));
}

memory_of_program memory_of_host(const native_call&, std::size_t bytes) {
  const auto all = std::make_shared<std::vector<std::byte>>(bytes);
  std::byte* const at = all->data();
  return {{.data = at},
          all,
          [at](const void* from, std::size_t n) { std::memcpy(at, from, n); },
          [at](void* to, std::size_t n) { std::memcpy(to, at, n); }};
}

candidate simulated(std::string name, std::function<sim::options()> o) {
  return {std::move(name),
          [o] { return std::move(sim::make(o()).device); },
          [o] {
            sim::options one = o();
            one.wires = sim::make_bus();
            sim::options other = o();
            other.wires = one.wires;
            return std::pair(std::move(sim::make(one).device), std::move(sim::make(other).device));
          },
          copy_on_host,
          memory_of_host,
          {}};
}

}  // namespace

std::vector<candidate> sim_candidates() {
  std::vector<candidate> all;
  all.push_back(simulated("sim", [] {
    sim::options o;
    o.launch_seconds = o.copy_latency_seconds = 1e-6;
    o.check = index_checks::on;
    o.exports = true;
    o.host_memory_bytes = 1 << 20;
    return o;
  }));
  all.push_back(simulated("stepped sim", [] {
    sim::options o;
    o.host_memory_bytes = 1 << 20;
    o.is_host_accessible = true;
    o.exports = true;
    // Any thread may read the clock.
    o.clock = [looks = std::make_shared<std::atomic<std::int64_t>>(0)] { return 1e-6 * static_cast<double>(++*looks); };
    return o;
  }));
  return all;
}

}  // namespace stretto::device
