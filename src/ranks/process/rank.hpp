// rank.hpp - one rank of this node: its copy of the program, the task that runs it, and its messages.
//
// Threads     run(): a worker, once. The rank's task may suspend; the state that the C library keeps per thread leaves
//             the thread with it. current(): any thread.
// Invariants  a rank runs on one worker for life, so that what its program keeps in thread-local variables of system
//             libraries stays with it; unless it wanders.
#pragma once

#include <locale.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/kept_errno.hpp"
#include "base/spin_lock.hpp"
#include "ranks/communicators/rank_state.hpp"
#include "ranks/messages/mailbox.hpp"
#include "ranks/messages/send_buffers.hpp"
#include "ranks/process/call_record.hpp"
#include "ranks/process/node_ranks.hpp"
#include "ranks/process/rank_trace.hpp"
#include "ranks/process/retired_numbers.hpp"
#include "ranks/process/thread_tracks.hpp"
#include "ranks/program/program_copy.hpp"
#include "sched/worker.hpp"

namespace stretto::ranks {

class rank final : public sched::thread_companion, public sched::track_owner {
 public:
  /// Loads the program for it, and tells the node where its messages go. Throws as program_copy.
  rank(node_ranks& node, world_rank number, std::shared_ptr<const program_image> image, rank_start start);
  rank(const rank&) = delete;
  ~rank();

  /// The rank in the world.
  world_rank number() const noexcept { return number_; }
  node_ranks& node() noexcept { return node_; }
  mailbox& messages() noexcept { return messages_; }
  send_buffers& buffers() noexcept { return buffers_; }
  rank_state& mpi() noexcept { return mpi_; }
  /// Held while other ranks accumulate to memory of this one: one lock for all windows, which may overlap.
  base::spin_lock& combining() noexcept { return combining_; }
  retired_numbers& retired() noexcept { return retired_; }
  /// MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE, as the program has asked for.
  int thread_level() const noexcept { return thread_level_; }
  void set_thread_level(int level) noexcept { thread_level_ = level; }
  /// Functions of the program may run on any thread; main may block its worker while another thread waits.
  bool calls_from_any_thread() const noexcept { return calls_from_any_thread_; }
  void allow_calls_from_any_thread() noexcept { calls_from_any_thread_ = true; }
  /// The thread that initializes MPI is the main thread.
  void take_main_thread() noexcept { main_thread_ = mark_of_caller(); }
  bool is_main_thread() noexcept { return main_thread_ == mark_of_caller(); }
  program_copy& copy() noexcept { return copy_; }
  /// How the program ended, after run().
  const program_end& end() const noexcept { return end_; }

  /// Ahead of run(): whatever worker is free runs it.
  void let_wander() noexcept { wanders_ = calls_from_any_thread_ = true; }
  bool wanders() const noexcept { return wanders_; }
  /// Runs the program in the calling task, which must be bound to its worker unless the rank wanders.
  void run();
  /// The worker that runs it, once it has begun; if it wanders, the first one.
  std::uint32_t worker() const noexcept { return worker_; }
  /// The task that runs it; null before and afterwards. Any thread.
  const void* task() const noexcept { return task_.load(std::memory_order_acquire); }
  /// The call of MPI in which it is suspended; null if it is not. Any thread.
  const call_record* blocked_call() const noexcept { return blocked_call_.load(std::memory_order_acquire); }
  /// Any thread.
  bool has_ended() const noexcept { return has_ended_.load(std::memory_order_acquire); }

  /// Calls `visit` for each rank of this process. Any thread.
  static void for_each(const std::function<void(rank&)>& visit);
  /// Writes what ranks have printed so far, ahead of the end of the process.
  static void write_all_output() noexcept;

  /// The rank that the calling thread or task belongs to; null if it belongs to none.
  static rank* current() noexcept {
    const auto* const identity = identity_of_thread();
    return identity ? identity->whole : nullptr;
  }
  /// That of the rank which has started the running task. A task that none has started, such as a function of another
  /// node, belongs to the first rank of the process, whose copy of the program it runs. Null outside of tasks.
  static const thread_identity* identity_of_task() noexcept;
  /// Of the runtime that runs it, once it has begun.
  sched::scheduler* scheduler() const noexcept { return scheduler_; }

  /// The tracks of its threads in the trace; null without a trace.
  thread_tracks* tracks() noexcept { return tracks_.get(); }

  void leave_thread() noexcept override;
  void enter_thread() noexcept override;
  sched::own_track* track_of(const sched::task_record* task) noexcept override;

 private:
  [[noreturn]] void end_without_finalize() const;
  /// An address that no other thread of the rank has.
  const void* mark_of_caller() noexcept;

  node_ranks& node_;
  const world_rank number_;
  mailbox messages_;
  send_buffers buffers_;
  rank_state mpi_;
  base::spin_lock combining_;
  retired_numbers retired_{messages_};
  int thread_level_ = 0;
  bool calls_from_any_thread_ = false;
  bool wanders_ = false;
  const void* main_thread_ = nullptr;
  sched::scheduler* scheduler_ = nullptr;
  std::uint32_t worker_ = 0;
  program_copy copy_;
  program_end end_;
  std::unique_ptr<rank_trace> trace_;      // null: nothing is recorded
  std::unique_ptr<thread_tracks> tracks_;  // the same
  // For reports.
  std::atomic<const void*> task_ = nullptr;
  std::atomic<const call_record*> blocked_call_ = nullptr;
  std::atomic<bool> has_ended_ = false;
};

/// While it lives, the calling thread, on which no rank runs, acts as a rank that does not run meanwhile: functions of
/// its program may be called. The rank's errno stays its own.
class acting_rank {
 public:
  explicit acting_rank(rank& as) noexcept : as_(as) {
    as_.enter_thread();
    errno_of_rank_ = base::errno_of_thread();
  }
  acting_rank(const acting_rank&) = delete;
  ~acting_rank() {
    base::set_errno_of_thread(errno_of_rank_);
    as_.leave_thread();
  }

 private:
  rank& as_;
  int errno_of_rank_ = 0;
};

/// While it lives, the calling thread acts as one of the threads of a rank. Its errno and its locale stay its own.
class acting_thread {
 public:
  explicit acting_thread(rank& as) noexcept
      : before_(set_identity(&as.copy().thread_identity())), locale_(::uselocale(LC_GLOBAL_LOCALE)) {}
  acting_thread(const acting_thread&) = delete;
  ~acting_thread() {
    ::uselocale(locale_);
    set_identity(before_);
  }

 private:
  const base::kept_errno kept_;
  const thread_identity* const before_;
  const locale_t locale_;
};

/// Prints the message and ends the job: all ranks of all nodes, at once.
[[noreturn]] void end_job(node_ranks& node, const requested_end& how);

}  // namespace stretto::ranks
