// thread_tracks.hpp - the tracks in the trace of the threads that a rank's program starts.
//
// A thread has a track once it has joined the runtime, from its start on; it is like that of the rank (rank_trace.hpp).
// Tracks of threads that have ended are used again.
//
// Threads     each function, by the thread of the track.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sched/worker.hpp"
#include "trace/recorder.hpp"

namespace stretto::ranks {

class thread_track;
struct rank_state;

class thread_tracks {
 public:
  /// `name` is that of the rank: the tracks are "rank 3, thread 1" and so on.
  thread_tracks(std::string name, rank_state& state, trace::recorder& into);
  thread_tracks(const thread_tracks&) = delete;
  ~thread_tracks();

  /// Gives the calling thread, which has joined the runtime, a track from `since` on.
  void begin(sched::thread_state& joined, trace::ticks since);
  /// Ends that track, if the thread has one, before it leaves the runtime.
  void end(sched::thread_state& leaving) noexcept;

 private:
  const std::string name_;
  rank_state& state_;
  trace::recorder& into_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<thread_track>> all_;
  std::vector<thread_track*> unused_;
};

}  // namespace stretto::ranks
