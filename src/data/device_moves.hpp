// device_moves.hpp - copies and fills that one device does by itself: to it, from it, within it.
//
// Threads     any thread of the runtime.
#pragma once

#include "data/data_state.hpp"
#include "data/operation_request.hpp"

namespace stretto::data {

/// The device that can do it alone (a fill of its memory, a copy within it or between it and the host), or null.
device::attached_device* device_of(const operation_request& r, const data_state& state) noexcept;

/// Submits the operation to that device.
event submit_to_device(operation_request&& r, device::attached_device& on, const preconditions& after,
                       std::span<const event> also, base::thread_context& context);

}  // namespace stretto::data
