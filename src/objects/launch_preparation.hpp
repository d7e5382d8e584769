// launch_preparation.hpp - turns the arguments of a launch into tasks that can be submitted.
//
// Threads     the thread that holds the state's mutex.
#pragma once

#include "objects/task_lifecycle.hpp"

namespace stretto::objects {

/// The tasks of a launch: one, or one for each part of a divided launch.
using launch_tasks = boost::container::small_vector<task_pointer, 1>;

/// Checks the launch and copies its arguments. Throws A02, A05 to A07.
void prepare(objects_state& s, const kernel_code& code, const kernel_range& range,
             std::span<const detail::object_item> given, const detail::object_launch& request,
             base::thread_context& context, launch_tasks& made);

/// The names of the kinds: "gpu or accelerator".
std::string text_of(on_kinds kinds);

/// The devices that run this node's part of a launch on buffers.
struct devices_of_launch {
  std::uint64_t some = 0;  // a bit per device; 0: all devices
  bool on_host = false;    // the host runs it instead of devices
};
/// The devices that match the tags; the host if the tags allow it and no device matches. Throws B28 if nothing matches.
devices_of_launch devices_for(const base::runtime_context& runtime, const kernel_code& code, const kernel_range& range,
                              const detail::object_launch& request);

/// Submits the task and returns the event of its end.
event submit_prepared(task_pointer t, std::span<const event> after, std::span<const predecessor> behind,
                      base::thread_context& context, task_id* id = nullptr);

/// The tasks and events named by the tags after(...), as events.
std::vector<event> precondition_events(const detail::task_request& request, base::thread_context& context,
                                       const std::source_location& where);

}  // namespace stretto::objects
