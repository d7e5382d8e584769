// profiling.hpp - how a profile that someone asked for is filled in and delivered: by tasks here, by data above.
//
// Threads     each call by whoever carries the operation at that moment; deliver once, last.
// Cost        only operations with the tag profile(into) have one.
#pragma once

#include <atomic>
#include <cstdint>

#include <stretto/profile.hpp>

#include "base/context.hpp"
#include "event/failure.hpp"

namespace stretto::sched {

struct task_record;

/// What one node measured of an operation that another asked for, in nanoseconds. Points in time mean nothing
/// elsewhere.
struct measured_elsewhere {
  std::int64_t waited = 0, queued = 0, ran = 0, suspended = 0;
  std::uint32_t suspensions = 0, worker = 0, last_worker = 0;
};

class profile_state {
 public:
  /// The operation is created now.
  explicit profile_state(const std::source_location& where);
  ~profile_state();

  /// The call has accepted the operation: whoever asked gets the future.
  void promise_to(future<operation_profile>& into) { into = result_.get_future(); }
  /// Of several calls the first counts.
  void mark_ready() noexcept;
  void mark_started(const base::thread_context& on) noexcept;
  void mark_ended(const base::thread_context& on) noexcept;
  void suspended() noexcept;
  void resumed() noexcept;
  void moved(std::uint64_t bytes, std::uint32_t hops, std::uint32_t parts) noexcept;
  /// As of now, by the operation itself.
  measured_elsewhere so_far(const base::thread_context& on) const noexcept;
  /// It ran on another node. Puts its times between the creation and now, as if request and answer had taken equally
  /// long.
  void ran_elsewhere(const measured_elsewhere& there) noexcept;
  /// The operation is over. What was not marked happened when it was skipped, or just now.
  void deliver(const failure* cause, std::string operation, const base::thread_context& on) noexcept;

 private:
  promise<operation_profile> result_;
  operation_profile seen_;
  operation_profile::clock::time_point suspended_since_{};
  std::atomic<bool> has_started_{false};
  bool delivered_ = false;
};

/// The new task `r`, not yet submitted, is to be profiled.
void begin_profile(task_record& r, future<operation_profile>& into);
profile_state& profile_of(task_record& r) noexcept;

}  // namespace stretto::sched
