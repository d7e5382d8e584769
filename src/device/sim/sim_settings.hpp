// sim_settings.hpp - what the brackets of "sim:2(shared_bus,engines=1)" say of simulated devices.
//
// Threads     pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "device/sim/sim_device.hpp"

namespace stretto::device::sim {

/// What all devices of one word are, and what befalls one of them.
struct sim_request {
  options of_each;
  bool shares_bus = false;
  unsigned faulty_device = 0;  // which of them
  std::uint64_t fails_at_launch = 0, fails_at_allocation = 0, lost_at_launch = 0;  // 0: never
  std::uint64_t bytes_of_others = 0;
};

std::vector<std::string> names_of_settings();
/// Throws K29 for a value that cannot be.
sim_request read(std::span<const setting> all, const options& usual);

}  // namespace stretto::device::sim
