#include "device/sim/sim_backend.hpp"

#include <fmt/format.h>

#include "device/sim/sim_device.hpp"
#include "device/sim/sim_settings.hpp"

namespace stretto::device {

namespace {

std::vector<opened_device> find_simulated(const open_options& how) {
  sim::options usual;
  if (how.memory_bytes) usual.memory_bytes = how.memory_bytes;
  usual.host_memory_bytes = how.host_memory_bytes;
  usual.check = how.check ? index_checks::on : index_checks::off;
  const sim::sim_request request = sim::read(how.settings, usual);
  const auto clock = [] {
    // In stepped mode each read of the clock advances it by a microsecond.
    return [now = std::make_shared<double>()] { return *now += 1e-6; };
  };
  const auto common_clock = clock();
  const auto wires = request.shares_bus ? sim::make_bus() : nullptr;
  std::vector<opened_device> all;
  const unsigned count = how.at_most == ~0u ? 1 : how.at_most;
  for (unsigned n = 0; n < count; ++n) {
    sim::options o = request.of_each;
    o.name = fmt::format("simulated device {}", n);
    o.wires = wires;
    if (how.stepped && wires) o.clock = common_clock;  // devices on one bus share its time
    else if (how.stepped) o.clock = clock();
    sim::made made = sim::make(o);
    if (n == request.faulty_device) {
      if (request.fails_at_launch) made.faults_of_device->fail_launch(request.fails_at_launch);
      if (request.fails_at_allocation) made.faults_of_device->fail_allocation(request.fails_at_allocation);
      if (request.bytes_of_others) made.faults_of_device->reserve_for_others(request.bytes_of_others);
      if (request.lost_at_launch) made.faults_of_device->lose_at_launch(request.lost_at_launch);
    }
    opened_device f;
    f.name = o.name;
    f.is = std::move(made.device);
    all.push_back(std::move(f));
  }
  return all;
}

}  // namespace

backend sim_backend() { return {"sim", true, find_simulated, {}, sim::names_of_settings()}; }

}  // namespace stretto::device
