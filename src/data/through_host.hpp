// through_host.hpp - fills and reductions of instances in memory that the processor does not address: done in memory of the host, and copied
// there.
//
// Threads     any thread of the runtime.
// Cost        a fill: 1 MiB of the main memory, copied as often as it takes. A reduction: as much of it as the box has, got before and
//             put after; whoever else reduces into the same elements waits for its event, as anywhere.
#pragma once

#include "data/operation_request.hpp"

namespace stretto {
class preconditions;
namespace base {
struct thread_context;
}
}  // namespace stretto

namespace stretto::data {

inline bool is_global(const detail::instance_handle& h) noexcept {
  return h.record->space && h.record->space->kind() == place_kind::global_memory;
}

/// `r` has been checked: a fill; or a reduction of an array, or of what a reduction on the host holds, into an array.
event fill_through_host(const operation_request& r, const preconditions& after, base::thread_context& context);
event reduce_through_host(const operation_request& r, const preconditions& after, base::thread_context& context);

}  // namespace stretto::data
