// served_task_access.hpp - converts a task to the handle that a place server gets, and back.
//
// Threads     the owner of the task or handle.
#pragma once

#include <utility>

#include <stretto/place_server.hpp>

#include "sched/task_record.hpp"

namespace stretto::detail {

struct served_task_access {
  static served_task make(sched::task_record& r) noexcept {
    served_task s;
    s.task_ = &r;
    return s;
  }
  static sched::task_record* take(served_task& s) noexcept {
    return static_cast<sched::task_record*>(std::exchange(s.task_, nullptr));
  }
};

}  // namespace stretto::detail
