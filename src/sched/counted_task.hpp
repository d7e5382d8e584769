// counted_task.hpp - a task that a floor above makes when it may run, and that a finish has counted since it was asked for.
//
// Threads     any thread of the runtime.
// Cost        that of an unnamed async without preconditions; nobody has a future of it.
// Invariants  its end is counted in `scope`, as that of any task; it throws nothing.
#pragma once

#include <source_location>
#include <string_view>

#include "sched/scheduler.hpp"

namespace stretto::sched {

struct counted_task {
  finish_scope* scope;
  std::source_location where;
  int priority = 0;
  const char* lasting_name = nullptr;  // null, or it lasts as long as the runtime
  std::string_view name = {};          // copied where there is one
};

/// Storage for a body of the type. Throws S0x for a priority that there is not.
task_record& make_counted(thread_state& t, const counted_task& about, std::size_t bytes, const detail::task_type& type);
/// It may run.
void start_counted(thread_state& t, task_record& r) noexcept;
/// It runs in this call, on top of what runs here, or may run where that cannot be. For bodies that are short and wait for nothing.
void run_counted(thread_state& t, task_record& r) noexcept;
/// Whether run_counted would run it.
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
