// cleared_range.hpp - evicts objects from an address range of a device's memory that another floor is about to use.
//
// Threads     any thread of the runtime that does not hold the state's mutex. The object holds the mutex, so objects
//             allocate nothing while it lives.
// Cost        one lock; a walk over the replicas in that memory if the range is in use.
#pragma once

#include <cstdint>
#include <source_location>

#include "objects/task_lifecycle.hpp"

namespace stretto::objects {

class cleared_range {
 public:
  /// Evicts the replicas that overlap [offset, offset + bytes) to the next memory of the hierarchy. A replica in use
  /// leaves after the operations that use it. A replica stays if the next memory is full.
  cleared_range(place memory, std::uint64_t offset, std::uint64_t bytes, const std::source_location& where,
                base::thread_context& context);

 private:
  const objects_lock in_;
};

}  // namespace stretto::objects
