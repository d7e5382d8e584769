// devices.hpp - the devices that the conformance suite runs on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"

namespace stretto::device {

struct candidate {
  std::string name;
  std::function<std::unique_ptr<device>()> make;
  /// Two that reach one another; null where there are none.
  std::function<std::pair<std::unique_ptr<device>, std::unique_ptr<device>>()> make_two;
};

/// Those of one backend; a build without it has none.
std::vector<candidate> opencl_candidates();
std::vector<candidate> cuda_candidates();

/// One of each kind that this machine has. What it lacks is said once, with the reason.
std::vector<candidate> candidates();

}  // namespace stretto::device
