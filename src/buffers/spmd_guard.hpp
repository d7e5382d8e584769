// spmd_guard.hpp - failure propagation for SPMD programs: records each buffer call, detects divergence, broadcasts a
// failed run and aborts the dependent work.
//
// It is a protocol of the job, and so made before the job starts. It works from start, when the data floor knows the
// other nodes, until stop.
//
// Threads     start, stop: the thread that makes and ends the runtime, while no thread polls. add: the thread that
//             holds the buffers. All else: any.
// Cost        add: about 200 instructions; fewer if the option compare_nodes is off. In a job of one node the guard is
//             not started.
// Invariants  (1) only a failed run waits, in wait_for_verdict. (2) if a run has failed before task T, tasks before T
//             complete and all others are aborted; with several failed runs, the smallest T counts.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>

#include "buffers/call_history.hpp"
#include "buffers/divergence_detector.hpp"
#include "buffers/failed_run.hpp"
#include "buffers/spmd_messages.hpp"
#include "dist/job.hpp"
#include "event/failure.hpp"

namespace stretto::buffers {

class spmd_guard final : private dist::protocol {
 public:
  enum class compares : bool { no, yes };
  /// Must be made before job::start.
  ///   on_failure_or_divergence   called once for each failure when this node learns of it, on the polling thread or
  ///                              that of the failing run
  spmd_guard(dist::job& j, compares c, std::function<void()> on_failure_or_divergence = {});
  void start();
  /// Releases the recorded calls and failures. No other function may be called afterwards.
  void stop() noexcept;

  /// Records a call. Throws B23 once divergence is known, and N17 for a task that a failed run did not submit.
  void add(std::shared_ptr<const call_signature> c, std::uint64_t task, const std::source_location& where);

  /// This node makes no more calls. A normal end is recorded as a call, unless there were none.
  enum class ended : bool { normally, after_failure };
  void end(ended how);

  /// Waits until it is known whether the programs have diverged so far. On a thread of the runtime.
  void wait_for_verdict(const std::source_location& where);
  /// A run of this node fails with `why`, after it has submitted the tasks below `tasks`. Informs all nodes, unless
  /// another node's failure is the cause or another run failed earlier in the program. Returns N17 if another node's
  /// failure is the cause.
  std::optional<error> fail(std::uint64_t tasks, const std::exception_ptr& why, const std::source_location& where);

  /// Returns B23 if the programs have diverged, and marks it as reported.
  std::optional<error> take_divergence();
  /// The error that no run of this node has reported, after it has submitted the tasks below `tasks`: B23 after
  /// divergence, N17 if a run failed before them.
  std::optional<error> unreported(std::uint64_t tasks);
  /// All nodes are stuck: ends the waits of the program with B23 or N17. On a thread of the runtime.
  void fail_stuck_waits(base::thread_context& context);
  /// True if a run has failed or the programs have diverged.
  bool has_failed_or_diverged() const noexcept {
    return has_diverged_.load(std::memory_order_acquire) || first_missing_task_.load(std::memory_order_acquire) != none;
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  struct compared_calls {
    call_history history = {};
    divergence_detector detector;
    explicit compared_calls(spmd_guard& of);
  };

  /// For the messages of the detector.
  template <class M>
  void on_detector_message(dist::rank from, const M& m, base::thread_context& context) {
    if (calls_) calls_->detector.receive(from, m, context);
  }
  void on_run_failure(dist::rank from, const run_failure& m, base::thread_context& context);
  void lost(dist::rank node, base::thread_context& context) noexcept override {
    if (calls_) calls_->detector.node_failed(node, context);
  }
  void advance(base::thread_context& context) override {
    if (calls_) calls_->detector.advance(context);
  }

  void on_divergence(const divergence_report& d, base::thread_context& context);
  /// False if another failed run had submitted as few tasks.
  bool record_failed_run(const failed_run& r, base::thread_context& context);
  std::optional<error> failure();

  dist::job& job_;
  const compares compares_;
  const std::function<void()> on_failure_or_divergence_;
  std::optional<compared_calls> calls_;  // none: not started, or stopped
  std::atomic<bool> has_diverged_{false}, is_reported_{false};
  std::atomic<std::uint64_t> first_missing_task_{none};  // the first task that a failed run has not submitted
  std::mutex lock_;                                      // guards the members below
  std::optional<error> divergence_;                      // B23
  std::optional<error> failed_;                          // N17 of the run that submitted fewest tasks
};

}  // namespace stretto::buffers
