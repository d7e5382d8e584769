#include "acc/gang_launch.hpp"

#include <algorithm>
#include <stretto/finish.hpp>
#include <stretto/task.hpp>

#include "base/spin_lock.hpp"
#include "sched/scheduler.hpp"
#include "sched/worker.hpp"

namespace stretto::acc {
namespace {

base::spin_lock combining;

using kernel_function = void (*)(void**, long, long);

struct gang_range {
  long first, last;
};

/// The part of the gangs that the n-th of several tasks runs.
gang_range part_of(long gangs, long n, long tasks) {
  const long each = gangs / tasks, more = gangs % tasks;
  const long first = n * each + std::min(n, more);
  return {first, first + each + (n < more ? 1 : 0)};
}

void run(kernel_function kernel, void** arguments, const gang_range& part, long gangs) {
  for (long gang = part.first; gang < part.last; ++gang) kernel(arguments, gang, gangs);
}

void launch(kernel_function kernel, void** arguments, long gangs) {
  const sched::thread_state* const here = sched::this_thread();
  const long workers = here && here->owner ? static_cast<long>(here->owner->workers.size()) : 1;
  if (gangs <= 0) gangs = workers;
  const long tasks = std::min(gangs, workers);
  if (tasks <= 1) return run(kernel, arguments, {0, gangs}, gangs);
  finish([&] {
    for (long n = 1; n < tasks; ++n)
      async(name("gangs"), [=] { run(kernel, arguments, part_of(gangs, n, tasks), gangs); });
    run(kernel, arguments, part_of(gangs, 0, tasks), gangs);
  });
}

}  // namespace
}  // namespace stretto::acc

void stretto_acc_launch(void (*kernel)(void**, long, long), void** arguments, long gangs) {
  stretto::acc::launch(kernel, arguments, gangs);
}

void stretto_acc_lock() { stretto::acc::combining.lock(); }
void stretto_acc_unlock() { stretto::acc::combining.unlock(); }
