// mobile_floor.hpp - start, stop and hang reports of the mobile objects of a runtime, for other floors.
//
// Threads     The thread that makes and ends the runtime.
#pragma once

#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

/// `all` must have been made before the start of the job. Call after the start of events.
void start_mobile(base::runtime_context& runtime, mobile_objects& all, const object_settings& s);
/// For hang reports. add_wait_edges adds what waits for objects and replies; call it before the scheduler adds its
/// tasks. add_handler_edges adds which of these tasks are handlers; call it afterwards.
void add_wait_edges(const base::runtime_context& runtime, base::wait_walk& walk);
void add_handler_edges(const base::runtime_context& runtime, base::wait_walk& walk);
void stop_mobile(base::runtime_context& runtime) noexcept;

}  // namespace stretto::mobiles
