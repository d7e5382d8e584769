// lease_queue.hpp - the leases of cores of one runtime, in the order in which they are granted.
#pragma once

#include <mutex>

namespace stretto::sched {

struct lease_state;

struct lease_queue {
  std::mutex mutex;              // guards the leases, too
  lease_state* first = nullptr;  // gathers its workers, or is in force
};

}  // namespace stretto::sched
