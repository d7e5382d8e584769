#include "ranks/binding/busy_loop.hpp"

#include <stretto/task.hpp>

#include "sched/worker.hpp"

namespace stretto::ranks {

void yield_without_result() {
  if (const auto* const here = sched::this_thread(); here && here->as_worker) yield();
}

void yield_at_times() {
  static thread_local unsigned calls = 0;
  if (++calls % 128 == 0) yield_without_result();
}

}  // namespace stretto::ranks
