// call_frame.hpp - the beginning and the end of each call on buffers.
//
// Threads     a call of the program.
#pragma once

#include "base/context.hpp"
#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

/// The record of a buffer. Throws B07 if the handle is empty or belongs to another runtime.
buffer_record& require_buffer(const detail::buffer_handle& h, const char* verb, const base::thread_context& context,
                              const std::source_location& where);

/// To be called after submit_task, without holding `s`: waits for back pressure, and exchanges weights if due.
void finish_call(buffers_state& s, event ahead, const std::source_location& where);

}  // namespace stretto::buffers
