// through_host.hpp - fills and reductions of instances that the processor does not address, done in host memory and
// copied.
//
// Threads     any thread of the runtime.
// Cost        a fill: 1 MiB of main memory, copied as often as needed. A reduction: as much main memory as the box has,
//             copied before and after. Other reductions into the same elements wait for its event, as everywhere.
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

/// `r` has been checked: a fill; or a reduction of an array, or of a host reduction, into an array.
event fill_through_host(const operation_request& r, const preconditions& after, base::thread_context& context);
event reduce_through_host(const operation_request& r, const preconditions& after, base::thread_context& context);

}  // namespace stretto::data
