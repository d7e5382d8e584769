#include "device/sim/sim_backend.hpp"

#include <fmt/format.h>

#include "device/sim/sim_device.hpp"
#include "device/sim/sim_settings.hpp"

namespace stretto::device {

namespace {

std::vector<found> find_simulated(const search& how) {
  sim::options usual;
  if (how.memory_bytes) usual.memory_bytes = how.memory_bytes;
  usual.host_memory_bytes = how.host_memory_bytes;
  usual.check = how.check ? checking::on : checking::off;
  const sim::asked asked = sim::read(how.settings, usual);
  const auto clock = [] {
    // Stepped, each look at the clock takes a microsecond: time passes as the program looks.
    return [now = std::make_shared<double>()] { return *now += 1e-6; };
  };
  const auto common_clock = clock();
  const auto wires = asked.shares_bus ? sim::make_bus() : nullptr;
  std::vector<found> all;
  const unsigned count = how.at_most == ~0u ? 1 : how.at_most;
  for (unsigned n = 0; n < count; ++n) {
    sim::options o = asked.of_each;
    o.name = fmt::format("simulated device {}", n);
    o.wires = wires;
    if (how.stepped && wires) o.clock = common_clock;  // who shares wires shares their time
    else if (how.stepped) o.clock = clock();
    sim::made made = sim::make(o);
    if (n == asked.befallen) {
      if (asked.fails_at_launch) made.break_it->fail_launch(asked.fails_at_launch);
      if (asked.fails_at_allocation) made.break_it->fail_allocation(asked.fails_at_allocation);
      if (asked.bytes_of_others) made.break_it->lend_to_others(asked.bytes_of_others);
      if (asked.lost_at_launch) made.break_it->lose_at_launch(asked.lost_at_launch);
    }
    found f;
    f.name = o.name;
    f.is = std::move(made.device);
    all.push_back(std::move(f));
  }
  return all;
}

}  // namespace

backend sim_backend() { return {"sim", true, find_simulated, {}, sim::names_of_settings()}; }

}  // namespace stretto::device
