// device_launch.hpp - launches a kernel in a stream of a device.
//
// Threads     any thread of the runtime.
// Cost        the first launch of a kernel on a device compiles it, within the call.
#pragma once

#include <stretto/launch.hpp>

#include "base/context.hpp"
#include "device/device_set.hpp"

namespace stretto::data {

/// All arrays must be in the device's memory. Throws K12 and K13 if the device cannot run the kernel. Later errors (K20
/// to K23, K30, K31) poison the event. `order`: events that must have ended, with or without failure.
event launch_on(device::attached_device& on, const kernel_code& code, const kernel_range& range,
                std::span<const detail::launch_item> items, const detail::task_request& request,
                base::thread_context& context, std::span<const event> order = {});

}  // namespace stretto::data
