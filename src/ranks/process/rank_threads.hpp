// rank_threads.hpp - the threads that programs have started, as far as they use the runtime.
//
// A thread joins the runtime when it first waits or ends an operation; a wait blocks it, and no worker.
//
// Threads     any.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "sched/worker.hpp"

namespace stretto::ranks {

class thread_tracks;

/// The threads of the ranks of this node.
class rank_threads {
 public:
  /// Makes the calling thread one of the runtime, until leave() or end(). Null after end(): then it must not be one.
  base::thread_context* join(sched::scheduler& runtime);
  /// The calling thread leaves the runtime, if it has joined it. `tracks` are those of its rank; null without a trace.
  void leave(thread_tracks* tracks) noexcept;
  /// Before the runtime ends: no thread may call MPI any more.
  void end() noexcept;

  void count_begin() noexcept { running_.fetch_add(1, std::memory_order_relaxed); }
  void count_end() noexcept { running_.fetch_sub(1, std::memory_order_release); }
  /// Whether threads that programs have started still run: then the programs stay loaded.
  bool is_any_running() const noexcept { return running_.load(std::memory_order_acquire) != 0; }

 private:
  std::mutex mutex_;
  std::vector<sched::thread_state*> joined_;
  bool has_ended_ = false;
  std::atomic<int> running_ = 0;
};

}  // namespace stretto::ranks
