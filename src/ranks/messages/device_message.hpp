// device_message.hpp - a matched message whose data the drivers of devices copy.
//
// No thread waits for the copy: its end, on any thread of the runtime, ends the requests of both sides. So a rank that
// waits for one of them is suspended, and other ranks of its worker run.
//
// Threads     any, also one that holds locks or runs in a callback.
// Cost        two objects on the heap, and those of device_copies.hpp.
#pragma once

#include <functional>

#include "ranks/messages/message_request.hpp"

namespace stretto::ranks {

/// The status of a receive once it has the data.
message_status status_of_copy(const message_request& receive, envelope message, const data_part& data);

/// Starts the copy into the buffer of an active receive. When it has ended the receive is ended, and `then` is called,
/// with error_class::other if a driver reports a failure. The data must stay until `then`.
void start_device_message(message_request& receive, envelope message, const data_part& data,
                          std::function<void(error_class)> then);

/// For `then`: ends an active send.
std::function<void(error_class)> end_of_send(message_request& send);

}  // namespace stretto::ranks
