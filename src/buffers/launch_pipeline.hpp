// launch_pipeline.hpp - submits launches either in the program's call, or in a task of the runtime while the program
// continues.
//
// A launch is enqueued if it cannot be refused: an equal launch has passed the checks before, or no cut of it can fail
// (graph/cut_validity.hpp). All other launches are submitted in the call, after the enqueued ones: only calls throw
// errors and run custom mappers.
//
//     program:  launch -> pending_launches -> continues
//     task:     pending launch -> task, commands, instructions, operations; ends when none is left
//
// A call that needs the graphs submits the pending launches itself, instead of waiting for that task. (Decision 0030.)
//
// Threads     calls of the program one at a time; the submitting task runs on any worker. Lock order:
//             `submission_mutex`, then `mutex`.
// Cost        enqueueing: see docs/performance.md. Without a pipeline: none.
// Invariants  (1) launches are submitted in program order. (2) the pipeline respects back pressure: the next launch is
//             submitted when the horizon that bounds it has been reached. (3) no thread waits while it holds a lock.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <optional>

#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

/// Held by a call of the program: only the holder may submit. With lock_buffers, it also holds the buffers, with all
/// earlier launches in the graphs.
class submission_lock {
 public:
  enum class waits : bool { no, yes };  // for back pressure
  /// Locks out other calls. Without a pipeline it locks the buffers at once.
  explicit submission_lock(buffers_state& s);
  /// Submits all pending launches and locks the buffers. True if it unlocked in between, so that other calls may have
  /// submitted.
  ///
  ///   throws   the error of a pending launch that was refused
  bool lock_buffers(const std::source_location& where);
  /// As lock_buffers, but throws nothing, and ignores back pressure if `w` says so.
  bool drain(waits w, const std::source_location& where);

 private:
  buffers_state& s_;
  std::unique_lock<std::mutex> submission_;
  std::optional<buffers_lock> buffers_;
};

/// A submission lock that locks the buffers at once.
class drained_submission_lock : submission_lock {
 public:
  drained_submission_lock(buffers_state& s, const std::source_location& where) : submission_lock(s) {
    lock_buffers(where);
  }
};

/// The arguments of a launch that are not in the launch cache.
struct launch_call {
  const kernel_code* code = nullptr;  // a kernel, with its arguments,
  std::span<const detail::buffer_item> items = {};
  detail::host_function* host = nullptr;  // or a host function, which is moved from
  const task_work* work = nullptr;
};
/// Enqueues the launch if that is allowed and saves time; returns its event. Requires the submission lock.
std::optional<event> try_enqueue(buffers_state& s, const std::shared_ptr<cached_launch>& cached, const launch_call& l,
                                 base::thread_context& context);

/// Measures the submission time of some launches: of each repeated launch by itself, of new launches together.
class submission_timer {
 public:
  explicit submission_timer(buffers_state& s, cached_launch& of);
  ~submission_timer();
  submission_timer(const submission_timer&) = delete;
  submission_timer& operator=(const submission_timer&) = delete;

 private:
  std::uint32_t* of_ = nullptr;
  std::uint64_t since_ = 0;
};

}  // namespace stretto::buffers
