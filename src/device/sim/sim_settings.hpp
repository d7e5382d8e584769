// sim_settings.hpp - the settings of simulated devices, as in "sim:2(shared_bus,engines=1)".
//
// Threads     pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "device/sim/sim_device.hpp"

namespace stretto::device::sim {

/// The options of all devices of one request, and the faults of one of them.
struct sim_request {
  options of_each;
  bool shares_bus = false;
  unsigned faulty_device = 0;  // number of the device with the faults
  std::uint64_t fails_at_launch = 0, fails_at_allocation = 0, lost_at_launch = 0;  // 0: never
  std::uint64_t bytes_of_others = 0;
};

std::vector<std::string> names_of_settings();
/// Throws K29 for an impossible value.
sim_request read(std::span<const setting> all, const options& usual);

}  // namespace stretto::device::sim
