// runtime_monitor.hpp - looks now and then whether the runtimes of the process go on, and tells on SIGUSR1 what they wait for.
//
// The only thing beside node numbers that runtimes of a process share: signals belong to the process, and whether an
// outside thread could still do something can be told only of all runtimes together.
//
// Threads     watched: the thread that makes the runtime. The looks run on the thread of base/signal_watch.
// Cost        nothing until SIGUSR1; with a limit, some counters are looked at four times per limit.
// Invariants  (1) the handler for SIGUSR1 that was there before is called too, and is back after the last runtime.
//             (2) a runtime is accused once for each time that it stops, never while it may go on.
#pragma once

#include <string>

#include "base/options.hpp"
#include "base/wait_snapshot.hpp"
#include "sched/scheduler.hpp"

namespace stretto::dist {
class job_member;
}

namespace stretto::diagnose {

class job_hang_detector;

struct monitor_settings {
  double limit = 0;        // seconds without progress; 0: only on SIGUSR1, and at the runtime's end
  bool reports_unproven = true;  // also where it may go on; else only what is proven to wait for ever
  std::string file;        // receives the last report as JSON; empty: none
  base::error_form errors = base::error_form::text;
  const dist::job_member* member = nullptr;  // of a job
  job_hang_detector* job = nullptr;              // not null then
};

/// A runtime under watch, from its start to its end.
class monitored_runtime {
 public:
  monitored_runtime(sched::scheduler& runtime, monitor_settings settings);
  monitored_runtime(const monitored_runtime&) = delete;
  ~monitored_runtime();
  /// The runtime ends as soon as nothing is left to do: if something stays, that is told after a second at most.
  void draining() noexcept;

 private:
  friend class runtime_monitor;
  bool is_near_end() const noexcept;
  double limit() const noexcept;
  sched::scheduler& runtime_;
  const monitor_settings settings_;
  std::atomic<bool> draining_{false};
  // The watcher's.
  std::uint64_t progress_ = 0;
  std::int64_t last_progress_ns_ = 0;
  bool reported_unproven_ = false, reported_proven_ = false;
  std::uint32_t samples_ = 0;  // beyond the limit
  std::uint64_t spent_ns_ = 0;  // processor nanoseconds for them
  std::int64_t first_request_ns_ = 0;  // to the other nodes, when first since there was progress, and when last; 0: not
  std::int64_t last_request_ns_ = 0;
  std::uint32_t verdict_requests_ = 0;
};

/// Whatever is done there makes it larger.
std::uint64_t progress_now(const sched::scheduler& runtime);
/// What is known of it now; `seconds` without progress.
base::wait_snapshot snapshot_of(sched::scheduler& runtime, double seconds);

}  // namespace stretto::diagnose
