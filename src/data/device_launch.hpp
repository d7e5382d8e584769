// device_launch.hpp - a kernel in a stream of a device.
//
// Threads     any thread of the runtime.
// Cost        the first launch of a kernel on a device compiles it, in the call.
#pragma once

#include <stretto/launch.hpp>

#include "base/context.hpp"
#include "device/device_set.hpp"

namespace stretto::data {

/// All arrays are in the device's memory. Throws K12 and K13 where the device cannot run it; what the device finds later (K20
/// to K23, K30, K31) poisons the event. `order`: what only has to have ended, well or not.
event launch_on(device::attached_device& on, const kernel_code& code, const kernel_range& range,
                std::span<const detail::launch_item> items, const detail::task_request& request,
                base::thread_context& context, std::span<const event> order = {});

}  // namespace stretto::data
