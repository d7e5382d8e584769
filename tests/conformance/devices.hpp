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

using calls_that_copy =
    std::function<void(const native_call&, native_array<const float>, native_array<float>, std::int64_t bytes)>;

/// Memory that a program gets from the driver, in the context that its native kernels receive; freed with the last
///        copy.
struct memory_of_program {
  native_memory is;
  std::shared_ptr<const void> kept = {};
  std::function<void(const void* from, std::size_t bytes)> write = {};
  std::function<void(void* to, std::size_t bytes)> read = {};
};

struct candidate {
  std::string name;
  std::function<std::unique_ptr<device>()> make;
  /// Two devices that can access one another; null if there are none.
  std::function<std::pair<std::unique_ptr<device>, std::unique_ptr<device>>()> make_two;
  /// Calls that copy an array to another of the same size by the driver's own function.
  calls_that_copy copies = {};
  /// Allocates as a program does, from the driver, on the device of the call.
  std::function<memory_of_program(const native_call& on, std::size_t bytes)> memory = {};
  /// Compiles code with the driver's compiler; null if there is none.
  std::function<std::string(const std::string& source)> compiled = {};
};

/// The candidates of one backend; none in a build without it.
std::vector<candidate> sim_candidates();
std::vector<candidate> opencl_candidates();
std::vector<candidate> cuda_candidates();

/// The names of the usable devices, in order; an empty name for an unusable one, whose reason is printed. The devices
/// are closed again, so that a caller may keep the names for the whole process without keeping devices open.
std::vector<std::string> usable(const std::vector<opened_device>& all);

/// One of the opened devices; fails the test if it is unusable now.
std::unique_ptr<device> usable(std::vector<opened_device> all, std::size_t n);

/// One candidate of each kind that this machine has. Missing kinds are printed once, with the reason.
std::vector<candidate> candidates();

}  // namespace stretto::device
