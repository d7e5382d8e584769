#include "sched/cancellation.hpp"

#include <algorithm>

#include <stretto/error.hpp>

#include "event/event_floor.hpp"
#include "sched/task_execution.hpp"

namespace stretto::sched {
namespace {

/// False if the task has begun or ended. Otherwise it can no longer begin, and the cancel counts as in progress until
/// is_over().
bool withdraw(scheduler& owner, const task_record& task) {
  const std::scoped_lock lock(owner.cancel_mutex);
  owner.withdrawn.reserve(owner.withdrawn.size() + 1);
  owner.cancelling.fetch_add(1, std::memory_order_seq_cst);
  base::asymmetric::heavy();
  const std::uint8_t pending = task.pending.load(std::memory_order_relaxed);
  if (pending != task_record::not_submitted && pending != task_record::begun && !task.is_done() &&
      std::ranges::find(owner.withdrawn, &task) == owner.withdrawn.end()) {
    owner.withdrawn.push_back(&task);
    return true;
  }
  owner.cancelling.fetch_sub(1, std::memory_order_release);
  return false;
}

void is_over(scheduler& owner, const task_record& task) noexcept {
  const std::scoped_lock lock(owner.cancel_mutex);
  std::erase(owner.withdrawn, &task);
  owner.cancelling.fetch_sub(1, std::memory_order_release);
}

/// After its withdrawal, no other thread writes to the task.
void end_withdrawn(thread_state& t, task_record& task, const std::source_location& where) noexcept {
  finish_scope* const scope = task.scope;
  failure_ref why = cancelled_failure(task, where);
  task.drop_body();
  task.add_reference();  // for complete(), which releases one; the executor keeps its own
  task.complete(std::move(why), t);
  is_over(*t.owner, task);
  count_ended(t, scope);
}

}  // namespace

bool begin_during_cancel(scheduler& owner, const task_record& task) noexcept {
  const std::scoped_lock lock(owner.cancel_mutex);
  return !task.is_done() && std::ranges::find(owner.withdrawn, &task) == owner.withdrawn.end();
}

failure_ref cancelled_failure(const task_record& task, const std::source_location& where) {
  std::string who = detail::describe_task(task);
  error e = error("S18", who + " was cancelled before it began")
                .fact("spawned", task.where)
                .fact("cancelled", where)
                .because("cancel() was called, so the task has no value and its successors cannot run")
                .remedy("check the result of cancel(), or is_poisoned(), before you use the future");
  return detail::make_failure(std::make_exception_ptr(std::move(e)), std::move(who), task.where);
}

bool cancel_task(thread_state& t, task_record& task, const std::source_location& where) {
  if (!task.type().may_be_cancelled || task.is_done() || !withdraw(*t.owner, task)) return false;
  end_withdrawn(t, task, where);
  return true;
}

}  // namespace stretto::sched
