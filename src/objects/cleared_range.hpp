// cleared_range.hpp - addresses of a device's memory that another floor has planned: what objects have there leaves.
//
// Threads     any of the runtime, without the state's mutex, which it holds: objects place nothing while it lives.
// Cost        a lock; a walk over the replicas in that memory where something lies at these addresses.
#pragma once

#include <cstdint>
#include <source_location>

#include "objects/task_lifecycle.hpp"

namespace stretto::objects {

class cleared_range {
 public:
  /// Replicas in [offset, offset + bytes) go to the memory beneath, those in use behind what uses them. A replica stays
  /// if the memory beneath is full.
  cleared_range(place memory, std::uint64_t offset, std::uint64_t bytes, const std::source_location& where,
                base::thread_context& context);

 private:
  const objects_lock in_;
};

}  // namespace stretto::objects
