// mobile_floor.hpp - what other floors call to start and stop the mobile objects of a runtime.
//
// Threads     the thread that makes and ends the runtime.
#pragma once

#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

/// `all` has been made before the job was started, of the same job. After the events.
void start_mobile(base::runtime_context& runtime, mobile_objects& all, const object_settings& s);
/// For reports, before the scheduler tells of its tasks and after.
void add_wait_edges(const base::runtime_context& runtime, base::wait_walk& walk);
void add_handler_edges(const base::runtime_context& runtime, base::wait_walk& walk);
void stop_mobile(base::runtime_context& runtime) noexcept;

}  // namespace stretto::mobiles
