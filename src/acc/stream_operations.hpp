// stream_operations.hpp - kernels and copies of a device behind events, in the order that the driver keeps.
//
// Threads     any of the runtime.
// Cost        as data/device_operation.hpp: an operation whose preconditions are operations of the same device starts
//             behind them without the host.
#pragma once

#include <stretto/event.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "acc/data_environment.hpp"
#include "device/device_set.hpp"

namespace stretto::acc {

/// A launch, with everything that must live until it has ended.
struct stream_launch {
  std::shared_ptr<const device::compiled_kernel> kernel;
  device::launch_range range;
  std::vector<device::launch_argument> arguments = {};
  std::vector<std::uint64_t> offsets;              // values of arguments
  std::shared_ptr<const void> values;              // memory of other values
  std::vector<std::shared_ptr<void>> copies = {};  // memory of the device
  const char* where = "";                          // the line of the region
};

/// Returns the end. Behind a failed event it does not start, and has failed, too.
event start_launch(device::attached_device& on, stream_launch launch, std::span<const event> behind);

/// The transfers in their order, with addresses as streams know them.
///   release   ends the use of memory; is called behind all others, with or without a failure
event start_transfers(device::attached_device& on, std::vector<transfer> all, std::function<void(std::byte*)> release,
                      std::span<const event> behind);

/// A copy between any two memories that the device reaches.
event start_copy(device::attached_device& on, std::byte* to, const std::byte* from, std::size_t bytes,
                 std::span<const event> behind);

}  // namespace stretto::acc
