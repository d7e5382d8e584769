// devices.hpp - the devices that the conformance suite runs on.
#pragma once

#include <stretto/native_kernel.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"

namespace stretto::device {

using calls_that_copy = std::function<void(const native_call&, native_array<const float>, native_array<float>, std::int64_t bytes)>;

struct candidate {
  std::string name;
  std::function<std::unique_ptr<device>()> make;
  /// Two that reach one another; null where there are none.
  std::function<std::pair<std::unique_ptr<device>, std::unique_ptr<device>>()> make_two;
  /// Calls that copy as many bytes from one array to the other by the driver's own function.
  calls_that_copy copies = {};
  /// What the driver's compiler makes of code; null where there is none.
  std::function<std::string(const std::string& source)> compiled = {};
};

/// Those of one backend; a build without it has none.
std::vector<candidate> sim_candidates();
std::vector<candidate> opencl_candidates();
std::vector<candidate> cuda_candidates();

/// One of each kind that this machine has. What it lacks is said once, with the reason.
std::vector<candidate> candidates();

}  // namespace stretto::device
