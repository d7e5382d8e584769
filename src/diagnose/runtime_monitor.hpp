// runtime_monitor.hpp - checks periodically whether the runtimes of the process make progress, and reports on SIGUSR1
// what they wait for.
//
// All runtimes of the process share one monitor: signals belong to the process, and only for all runtimes together can
// it decide whether some thread could still act.
//
// Threads     monitored_runtime: the thread that makes the runtime. The checks run on the thread of base/signal_watch.
// Cost        nothing until SIGUSR1; with a limit, some counters are read four times per limit.
// Invariants  (1) a SIGUSR1 handler that was installed before is called too, and restored after the last runtime. (2) a
//             hang is reported once for each stop of a runtime, and never while the runtime may continue.
#pragma once

#include <string>

#include "base/options.hpp"
#include "base/wait_snapshot.hpp"
#include "diagnose/blocked_rank_watch.hpp"
#include "sched/scheduler.hpp"

namespace stretto::dist {
class job_member;
}

namespace stretto::diagnose {

class job_hang_detector;

struct monitor_settings {
  double limit = 0;              // seconds without progress; 0: report only on SIGUSR1 and when the runtime ends
  bool reports_unproven = true;  // report stalls that may end by themselves, too; else only proven hangs
  std::string file;              // receives the last report as JSON; empty: none
  base::error_form errors = base::error_form::text;
  const dist::job_member* member = nullptr;  // null if the runtime is not part of a job
  job_hang_detector* job = nullptr;          // null exactly if `member` is
};

/// Registers a runtime with the monitor, from its start to its end.
class monitored_runtime {
 public:
  monitored_runtime(sched::scheduler& runtime, monitor_settings settings);
  monitored_runtime(const monitored_runtime&) = delete;
  ~monitored_runtime();
  /// Must be called when the runtime begins to drain. From then on a proven hang is reported after at most a second.
  void draining() noexcept;

 private:
  friend class runtime_monitor;
  bool is_near_end() const noexcept;
  double limit() const noexcept;
  sched::scheduler& runtime_;
  const monitor_settings settings_;
  std::atomic<bool> draining_{false};
  // Only the monitor's thread.
  std::uint64_t progress_ = 0;
  std::int64_t last_progress_ns_ = 0;
  bool reported_unproven_ = false, reported_proven_ = false;
  std::uint32_t samples_ = 0;          // taken beyond the limit
  std::uint64_t spent_ns_ = 0;         // processor time for the samples
  std::int64_t first_request_ns_ = 0;  // first and last verdict request since the last progress; 0: none
  std::int64_t last_request_ns_ = 0;
  std::uint32_t verdict_requests_ = 0;
  blocked_rank_watch blocked_ranks_;
};

/// A counter that grows with everything that the runtime does.
std::uint64_t progress_now(const sched::scheduler& runtime);
/// The wait graph of the runtime now, after `seconds` without progress.
base::wait_snapshot snapshot_of(sched::scheduler& runtime, double seconds,
                                base::process_activity process = base::process_activity::runs);

}  // namespace stretto::diagnose
