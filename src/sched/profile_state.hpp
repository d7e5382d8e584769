// profile_state.hpp - collects the profile of one operation and delivers it: tasks use it here, data operations above.
//
// Threads     each call: the thread that executes the operation at that moment. deliver: once, last.
// Cost        only operations with the tag profile(into) have one.
#pragma once

#include <atomic>
#include <cstdint>

#include <stretto/profile.hpp>

#include "base/context.hpp"
#include "event/failure.hpp"

namespace stretto::sched {

struct task_record;

/// Measurements that a node takes of an operation for another node, in nanoseconds. They are durations, since points in
/// time mean nothing on another node.
struct measured_elsewhere {
  std::int64_t waited = 0, queued = 0, ran = 0, suspended = 0;
  std::uint32_t suspensions = 0, worker = 0, last_worker = 0;
};

class profile_state {
 public:
  /// Records now as the creation of the operation.
  explicit profile_state(const std::source_location& where);
  ~profile_state();

  /// The call has accepted the operation: hands the future to the caller.
  void promise_to(future<operation_profile>& into) { into = result_.get_future(); }
  /// The first of several calls counts.
  void mark_ready() noexcept;
  void mark_started(const base::thread_context& on) noexcept;
  void mark_ended(const base::thread_context& on) noexcept;
  void suspended() noexcept;
  void resumed() noexcept;
  void moved(std::uint64_t bytes, std::uint32_t hops, std::uint32_t parts) noexcept;
  /// The measurements up to now; called by the operation itself.
  measured_elsewhere so_far(const base::thread_context& on) const noexcept;
  /// The operation ran on another node. Places its times between the creation and now, as if request and reply had
  /// taken equally long.
  void ran_elsewhere(const measured_elsewhere& there) noexcept;
  /// The operation is over. Times that were not marked are set to the time of its skipping, or to now.
  void deliver(const failure* cause, std::string operation, const base::thread_context& on) noexcept;

 private:
  promise<operation_profile> result_;
  operation_profile seen_;
  operation_profile::clock::time_point suspended_since_{};
  std::atomic<bool> has_started_{false};
  bool delivered_ = false;
};

/// Profiles the new task `r`, which is not yet submitted.
void begin_profile(task_record& r, future<operation_profile>& into);
profile_state& profile_of(task_record& r) noexcept;

}  // namespace stretto::sched
