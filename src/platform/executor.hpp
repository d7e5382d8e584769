// executor.hpp - the interface that runs work at a place: the scheduler for host places, a backend for its devices.
//
// Threads     execute may be called from any thread, also from within a running item.
// Invariants  (1) each item given runs exactly once. (2) execute does not run the item itself before returning.
#pragma once

#include <stretto/place.hpp>

#include "platform/work_item.hpp"

namespace stretto::places {

class executor {
 public:
  virtual ~executor() = default;

  /// Runs the item at `where`, or wherever the paths of workers carry it from there.
  virtual void execute(work_item& item, place where) = 0;
};

}  // namespace stretto::places
