// call_frame.hpp - what calls on buffers begin and end with.
//
// Threads     a call of the program.
#pragma once

#include "base/context.hpp"
#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

/// Throws B07.
buffer_record& require_buffer(const detail::buffer_handle& h, const char* verb, const base::thread_context& context, const std::source_location& where);

/// After submit_task, no longer holding `s`: waits for what has to have happened before the next.
void finish_call(buffers_state& s, event ahead, const std::source_location& where);

}  // namespace stretto::buffers
