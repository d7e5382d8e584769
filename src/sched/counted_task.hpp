// counted_task.hpp - a task of a higher floor. It is created only once it may run; its finish scope counts it from the
// request on.
//
// Threads     any thread of the runtime.
// Cost        that of an unnamed async without preconditions; it has no future.
// Invariants  `scope` counts its end, as that of any task; its body throws nothing.
#pragma once

#include <source_location>
#include <string_view>

#include "sched/scheduler.hpp"

namespace stretto::sched {

struct counted_task {
  finish_scope* scope;
  std::source_location where;
  int priority = 0;
  const char* lasting_name = nullptr;  // null, or lives as long as the runtime
  std::string_view name = {};          // copied, unless empty
};

/// A record with storage for a body of the type. Throws S04 if the priority is out of range.
task_record& make_counted(thread_state& t, const counted_task& about, std::size_t bytes, const detail::task_type& type);
/// Makes the task ready.
void start_counted(thread_state& t, task_record& r) noexcept;
/// Runs the task inside this call, on the current stack; if that is not possible, makes it ready. For short bodies that
/// do not wait.
void run_counted(thread_state& t, task_record& r) noexcept;
/// Whether run_counted would run the task inside the call.
bool can_run_counted(const thread_state& t) noexcept;

template <class Body>
task_record& make_counted(thread_state& t, const counted_task& about, const Body& body) {
  using Task = detail::task_of<Body>;
  static_assert(std::is_nothrow_copy_constructible_v<Body>);
  task_record& r = make_counted(t, about, Task::bytes, Task::type);
  ::new (r.storage()) Body(body);
  return r;
}
template <class Body>
void spawn_counted(thread_state& t, const counted_task& about, const Body& body) {
  start_counted(t, make_counted(t, about, body));
}

}  // namespace stretto::sched
