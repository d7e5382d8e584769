// travelling.hpp - what those share that let content of objects go to other nodes, or come.
//
// Threads     behind the state's mutex.
#pragma once

#include <string_view>

#include "objects/task.hpp"

namespace stretto::objects {

/// What is no longer goes in the message itself, if it is known by then.
inline constexpr std::uint64_t most_in_message = 2048;
/// Elements of the object, side by side where they lie in memory of the host now, with nothing on its way to them; else null.
const std::byte* current_data(object_record& o, const box& part);
/// Where most of it lies.
const execution_place& main_execution_place(object_record& o, const box& part);
/// Where content goes here: to a device of that kind, the same one if there is one of that number.
std::uint32_t execution_place_for(const objects_state& s, std::string_view backend, std::uint32_t index, std::uint64_t bytes);
/// An errand about those elements, to be submitted.
task_pointer new_transfer(objects_state& s, object_transfer&& e, object_record& about, const box& part, access how);

}  // namespace stretto::objects
