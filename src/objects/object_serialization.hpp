// object_serialization.hpp - what the floors `objects` and `global` need to send objects to other nodes and receive
// them.
//
// Threads     the thread that holds the state's mutex.
#pragma once

#include <string_view>

#include "objects/task.hpp"

namespace stretto::objects {

/// Data of at most this size travels in the message itself, if it is known when the message is written.
inline constexpr std::uint64_t most_in_message = 2048;
/// The elements of `part` if they are dense in host memory and no write to them is pending; else null.
const std::byte* current_data(object_record& o, const box& part);
/// The place that has most of the valid elements.
const execution_place& main_execution_place(object_record& o, const box& part);
/// The index of the place that should receive data which lies on device `index` of driver `backend` at its sender: the
/// device of this index if its driver matches, else another device of the driver, else the host. Devices that are lost,
/// or whose memory is smaller than `bytes`, do not count.
std::uint32_t execution_place_for(const objects_state& s, std::string_view backend, std::uint32_t index,
                                  std::uint64_t bytes);
/// Makes the task of a transfer of these elements; the caller must submit it.
task_pointer new_transfer(objects_state& s, object_transfer&& e, object_record& about, const box& part, access how);

}  // namespace stretto::objects
