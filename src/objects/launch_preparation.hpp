// launching.hpp - from what a launch is asked for to tasks that can be submitted.
//
// Threads     whoever holds the state's mutex.
#pragma once

#include "objects/task_lifecycle.hpp"

namespace stretto::objects {

/// One task, or one for each part of a divided launch.
using launch_tasks = boost::container::small_vector<task_pointer, 1>;

/// Checks everything and copies what is given. Throws A02, A05 to A07.
void prepare(objects_state& s, const kernel_code& code, const kernel_range& range, std::span<const detail::object_item> given,
             const detail::object_launch& request, base::thread_context& context, launch_tasks& made);

/// "gpu or accelerator".
std::string text_of(on_kinds kinds);

/// Who computes this node's part of a launch on buffers.
struct devices_of_launch {
  std::uint64_t some = 0;  // by bits; 0: all
  bool on_host = false;    // in place of devices
};
/// Those that are what the tags ask for; the host where they allow it and no device is. Throws B28 where nobody is.
devices_of_launch devices_for(const base::runtime_context& runtime, const kernel_code& code, const kernel_range& range,
                              const detail::object_launch& request);

/// From here on it goes by itself. Returns the event of its end.
event submit_prepared(task_pointer t, std::span<const event> after, std::span<const predecessor> behind, base::thread_context& context,
                      task_id* id = nullptr);

/// What the tags after(...) name, as events.
std::vector<event> events_behind(const detail::task_request& request, base::thread_context& context, const std::source_location& where);

}  // namespace stretto::objects
