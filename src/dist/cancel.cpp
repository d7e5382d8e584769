#include <stretto/cancel.hpp>

#include "dist/dist_floor.hpp"
#include "sched/cancellation.hpp"
#include "sched/task_record.hpp"

namespace stretto {

bool detail::cancel_operation(completion& c, const std::source_location& where) {
  auto& t = static_cast<sched::thread_state&>(base::require_current("cancel"));
  auto& task = static_cast<sched::task_record&>(c);
  if (task.is_done()) return false;
  if (task.type().may_be_cancelled) return sched::cancel_task(t, task, where);
  return t.runtime->get<dist::dist_state>(base::floor_slot::dist)->tasks->cancel(task, where);
}

}  // namespace stretto
