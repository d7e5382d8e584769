// call_signatures.hpp - calls on buffers as what they say on every node.
//
// Threads     whoever holds the buffers.
#pragma once

#include <memory>
#include <span>

#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

using shared_call = std::shared_ptr<const known_call>;

shared_call said_launch(const kernel_code& code, const kernel_range& range, std::span<const detail::buffer_item> items,
                        const detail::buffer_launch& request);
shared_call said_host_task(detail::task_nodes which, const box& range, std::span<const detail::host_use_item> items, std::span<const graph::effect_use> effects,
                           const detail::range_hints& hints);
shared_call said_read(const buffer_record& b, const box& part);
shared_call said_make(const buffer_record& b, bool has_content);

/// Notes it, where nodes compare their programs. `s` is held. Throws B23 where they are known to differ.
inline void note(buffers_state& s, const shared_call& c, const std::source_location& where, bool is_task = true) {
  s.programs->add(c, is_task ? s.tasks.next() : course::no_task, where);
}

}  // namespace stretto::buffers
