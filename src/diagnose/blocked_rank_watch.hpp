// blocked_rank_watch.hpp - lets spare workers run tasks while others block in system calls, and warns of ranks that
// block their worker while other ranks are ready.
//
// Threads     the monitor's.
// Cost        a check reads some counters of each worker, and the state of the threads that run ranks for long.
// Invariants  (1) a rank is reported once for each place in its program. (2) no thread is interrupted.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include <stretto/error.hpp>

#include "diagnose/blocked_workers.hpp"
#include "ranks/process/blocked_rank.hpp"
#include "sched/scheduler.hpp"

namespace stretto::diagnose {

/// R19.
error blocked_rank_report(const ranks::blocked_rank& rank, const blocked_worker& worker);

class blocked_rank_watch {
 public:
  enum class warning : std::uint8_t { none, text, json };
  /// Returns when to call it again, in nanoseconds from now; base::timed_watch::never if it need not be called.
  std::int64_t check(sched::scheduler& runtime, std::int64_t now_ns, warning form);

 private:
  void report(const blocked_worker& worker, int kernel_thread, warning form);

  blocked_workers blocked_;
  std::set<std::pair<int, const void*>> reported_;  // a rank, and a return address in its program
};

}  // namespace stretto::diagnose
