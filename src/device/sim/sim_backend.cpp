#include "device/sim/sim_backend.hpp"

#include <fmt/format.h>

#include "device/sim/sim_device.hpp"

namespace stretto::device {

namespace {

std::vector<found> find_simulated(const search& how) {
  std::vector<found> all;
  const unsigned count = how.at_most == ~0u ? 1 : how.at_most;
  for (unsigned n = 0; n < count; ++n) {
    sim::options o;
    o.name = fmt::format("simulated device {}", n);
    if (how.memory_bytes) o.memory_bytes = how.memory_bytes;
    o.host_memory_bytes = how.host_memory_bytes;
    o.check = how.check ? checking::on : checking::off;
    // Stepped, each look at the clock takes a microsecond: time passes as the program looks.
    if (how.stepped) o.clock = [now = std::make_shared<double>()] { return *now += 1e-6; };
    found f;
    f.name = o.name;
    f.is = std::move(sim::make(o).device);
    all.push_back(std::move(f));
  }
  return all;
}

}  // namespace

backend sim_backend() { return {"sim", true, find_simulated}; }

}  // namespace stretto::device
