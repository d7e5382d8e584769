// rank_trace.hpp - the track of a rank in the trace: when its program runs, and in which calls of MPI it waits for
// whom.
//
// The track consists of spans in which the program runs, and waits. A call by which another rank may go on ends the
// span in which it is: so a message or a wait names, as its cause, a span that ended with the call that sent the
// message, took it, or came last to a collective.
//
// A call that accesses a window or a file is a span of its own, a copy.
//
// Threads     the rank's task, or the thread of the rank whose track it is; add(): any thread.
// Cost        about a microsecond for each call, most of it for the text of its arguments.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/spin_lock.hpp"
#include "ranks/process/call_record.hpp"
#include "sched/own_track.hpp"
#include "trace/recorder.hpp"

namespace stretto::ranks {

struct rank_state;

/// The rank of a track.
struct traced_rank {
  const std::string& name;
  rank_state& state;
  const std::atomic<const call_record*>& blocked_call;  // as rank::blocked_call
};

class rank_trace final : public sched::own_track {
 public:
  rank_trace(const traced_rank& of, trace::recorder& into);
  rank_trace(const rank_trace&) = delete;

  /// Whether any rank of the process has a track.
  static bool is_recording() noexcept { return is_recording_.load(std::memory_order_relaxed); }
  /// That of the calling thread, which runs the main program of a rank or is one that the program has started; null if
  /// it is neither, or without a trace.
  static rank_trace* of_thread();

  /// Begins the track, by the rank's task.
  void begin();
  /// The call in which the rank is ends its span. Returns the span.
  std::uint64_t end_span();
  /// The same by a call that waits no more.
  std::uint64_t end_last_span() {
    const std::uint64_t span = end_span();
    ended_by_ = nullptr;
    return span;
  }
  /// The call has accessed so many bytes since it ended a span or waited.
  void record_access(std::int64_t bytes);
  /// The program, or the thread, has ended.
  void end();
  /// The name of the call in which the rank is, with its arguments and line.
  trace::name_id name_of_call();
  /// Adds a record to the track. Any thread.
  void add(const trace::record& r) noexcept;

  void ran(sched::thread_state& on, trace::ticks since) noexcept override;
  void waited(sched::thread_state& on, std::uint64_t made_ready_by) noexcept override;

 private:
  void record_span(sched::thread_state& on, trace::ticks until, trace::name_id name);
  trace::name_id name_of(const call_record* call, std::string_view before);
  const std::string& line_of(const void* return_address);

  static constinit inline std::atomic<bool> is_recording_ = false;

  rank_state& state_;
  const std::atomic<const call_record*>& blocked_call_;
  trace::recorder& into_;
  trace::ring& ring_;
  base::spin_lock pushing_;
  std::unordered_map<const void*, std::string> lines_;  // of calls, by return address; deferred
  std::uint64_t last_ = 0;                              // the span that has ended last
  std::uint64_t cause_ = 0;                             // of the next one
  // Of the wait that has begun.
  trace::ticks wait_start_ = 0;
  trace::name_id wait_name_ = trace::no_name;
  const char* ended_by_ = nullptr;  // the name of the call that has ended the last span, and has not waited since
};

}  // namespace stretto::ranks
