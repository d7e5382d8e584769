// pending_call.hpp - a call whose function runs on another node, as the calling node keeps it: it ends with a value
// first, and then when all tasks that the function has spawned have ended.
#pragma once

#include <stretto/remote.hpp>

#include <cstddef>
#include <span>

#include "event/failure.hpp"
#include "sched/scope_counting.hpp"
#include "sched/task_record.hpp"

namespace stretto::dist {

/// A call that was sent and that its finish scope has counted.
struct pending_call {
  sched::task_record* record = nullptr;  // null: the value has arrived
  sched::finish_scope* scope = nullptr;
  detail::value_reader read = nullptr;  // null: the function returns no value

  /// Completes the record with the value, or with `cause`, or with a failure if the value cannot be read.
  void end_value(failure_ref cause, std::span<const std::byte> value, base::thread_context& context) const;
  /// Tells the finish scope that the call and all it has spawned have ended.
  void end_all(const failure_ref& cause, base::thread_context& context) const;
};

}  // namespace stretto::dist
