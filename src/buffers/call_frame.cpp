#include "buffers/call_frame.hpp"

#include "buffers/weight_exchange.hpp"
#include "objects/object_checks.hpp"

namespace stretto::buffers {

buffer_record& require_buffer(const detail::buffer_handle& h, const char* verb, const base::thread_context& context,
                              const std::source_location& where) {
  return objects::record_of(h.get(), {"B07", "a buffer", "buffer"}, verb, context, where);
}

void finish_call(buffers_state& s, event ahead, const std::source_location& where) {
  if (!ahead.has_triggered()) wait(ignore_failure(ahead, where), where);
  balance_node_weights(s, where);
}

}  // namespace stretto::buffers
