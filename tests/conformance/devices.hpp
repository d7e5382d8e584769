// devices.hpp - the devices that the conformance suite runs on.
#pragma once

#include <stretto/native_kernel.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/backend.hpp"
#include "device/device.hpp"

namespace stretto::device {

using calls_that_copy = std::function<void(const native_call&, native_array<const float>, native_array<float>, std::int64_t bytes)>;

/// Memory that a program has from the driver, in the context that its native kernels are handed; freed with the last copy.
struct memory_of_program {
  native_memory is;
  std::shared_ptr<const void> kept = {};
  std::function<void(const void* from, std::size_t bytes)> write = {};
  std::function<void(void* to, std::size_t bytes)> read = {};
};

struct candidate {
  std::string name;
  std::function<std::unique_ptr<device>()> make;
  /// Two that reach one another; null where there are none.
  std::function<std::pair<std::unique_ptr<device>, std::unique_ptr<device>>()> make_two;
  /// Calls that copy as many bytes from one array to the other by the driver's own function.
  calls_that_copy copies = {};
  /// As a program asks the driver for it, of the device that the call was made on.
  std::function<memory_of_program(const native_call& on, std::size_t bytes)> memory = {};
  /// What the driver's compiler makes of code; null where there is none.
  std::function<std::string(const std::string& source)> compiled = {};
};

/// Those of one backend; a build without it has none.
std::vector<candidate> sim_candidates();
std::vector<candidate> opencl_candidates();
std::vector<candidate> cuda_candidates();

/// What those that work are called, in their order; no name for another, of which it is said why it does not. They are closed again: whoever
/// keeps the names for the whole process keeps no device that its end would close.
std::vector<std::string> usable(const std::vector<opened_device>& all);

/// One of those found; a failed requirement of the test if it cannot be used now.
std::unique_ptr<device> usable(std::vector<opened_device> all, std::size_t n);

/// One of each kind that this machine has. What it lacks is said once, with the reason.
std::vector<candidate> candidates();

}  // namespace stretto::device
