// devices.hpp - the devices that the conformance suite runs on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace stretto::device {

struct candidate {
  std::string name;
  std::function<std::unique_ptr<device>()> make;
};

/// Those of one backend; a build without it has none.
std::vector<candidate> opencl_candidates();

/// One of each kind that this machine has. What it lacks is said once, with the reason.
std::vector<candidate> candidates();

}  // namespace stretto::device
