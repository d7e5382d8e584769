#include "acc/queue_task.hpp"

#include <stretto/future.hpp>
#include <stretto/task.hpp>
#include <utility>

#include "ranks/process/rank.hpp"
#include "sched/near_worker.hpp"

namespace stretto::acc {

event start_queue_task(std::span<const event> behind, std::function<void()> work) {
  const ranks::rank* const of = ranks::rank::current();
  if (!of || of->wanders()) return async(name("acc queue"), after(behind), std::move(work));
  return async(sched::near_worker(of->worker()), name("acc queue"), after(behind), std::move(work));
}

}  // namespace stretto::acc
