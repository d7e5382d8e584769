// call_signatures.hpp - signatures of calls on buffers: the arguments that must be the same on every node.
//
// Threads     the thread that holds the buffers.
#pragma once

#include <memory>
#include <span>

#include "buffers/buffers_state.hpp"
#include "buffers/spmd_guard.hpp"

namespace stretto::buffers {

using shared_signature = std::shared_ptr<const call_signature>;

shared_signature signature_of_launch(const kernel_code& code, const kernel_range& range,
                                     std::span<const detail::buffer_item> items, const detail::buffer_launch& request);
shared_signature signature_of_host_task(detail::task_nodes which, const box& range,
                                        std::span<const detail::host_use_item> items,
                                        std::span<const graph::effect_use> effects, const detail::range_hints& hints);
shared_signature signature_of_read(const buffer_record& b, const box& part);
shared_signature signature_of_make(const buffer_record& b, bool has_content);

/// Records a call, if nodes compare their programs. `s` is held. Throws B23 once divergence is known.
inline void record_call(buffers_state& s, const shared_signature& c, const std::source_location& where,
                        bool is_task = true) {
  s.guard->add(c, is_task ? s.tasks.next() : call_history::no_task, where);
}

}  // namespace stretto::buffers
