#include "ranks/binding/busy_loop.hpp"

#include <stretto/task.hpp>

#include "base/kept_errno.hpp"
#include "sched/worker.hpp"

namespace stretto::ranks {

void yield_without_result() {
  const base::kept_errno kept;
  if (const auto* const here = sched::this_thread(); here && here->as_worker) yield();
}

}  // namespace stretto::ranks
