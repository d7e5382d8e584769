// engine.hpp - every call under way: started where MPI may be called, tested together, ended by its future.
//
// A call starts in the task that makes it if MPI lets that thread call and nothing is waited for; else once its
// preconditions have happened, and with MPI_THREAD_FUNNELED in a turn of the one worker that may, in the order of the
// calls.
//
// Threads     post*: any thread of the runtime. progress: one at a time, where MPI may be called. begin, end: the
//             module's.
// Cost        a test of what is pending: one MPI_Testsome, or MPI_Test of the only one.
// Invariants  (1) a call is pending from before it starts until its future has ended. (2) with MPI_THREAD_SERIALIZED
//             mpi_mutex() is held round each call of MPI, with FUNNELED none but the main thread makes one. (3) futures
//             end outside of any lock.
// Source      one array that is tested as a whole, and polled while it is not empty: HiPER's MPI module.
#pragma once

#include <stretto_mpi/mpi_module.hpp>

#include <stretto/poller.hpp>
#include <stretto/statistics.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sequences.hpp"

namespace stretto::mpi {

/// The statistics that are counted; each may be left out.
struct counted_calls {
  statistic sent, received, collective, one_sided;
};

class engine final : public poller, public std::enable_shared_from_this<engine> {
 public:
  /// MPI runs, and calls are taken once it is open. `worker` is the one that calls it, with funneled.
  void begin(thread_level level, std::uint32_t worker, std::thread::id main, const counted_calls& counts);
  /// `done`: a future that is ready.
  void open(const future<void>& done);
  /// Ends what is pending, where MPI may be called: receives are cancelled (M25), all else is waited for. Later calls
  /// fail with M25.
  void end() noexcept;
  bool is_open() const noexcept { return open_.load(std::memory_order_acquire); }
  thread_level level() const noexcept { return level_; }
  std::uint32_t worker() const noexcept { return worker_; }

  /// Learns its ranks. Where this thread may not call MPI it waits for the one that may.
  communicator on(MPI_Comm comm);

  future<void> post(detail::call&& c, const call_tags& tags);
  future<status> post_status(detail::call&& c, const call_tags& tags);
  void post_operation(std::unique_ptr<detail::operation> o, const call_tags& tags);
  /// An operation whose preconditions have happened.
  void launch(std::unique_ptr<detail::operation> o);
  /// The copy of a communicator that was freed: what is remembered of it is not true of another of that handle.
  void forget(MPI_Comm comm) { order_.forget(comm); }

  /// Held round calls of MPI that the engine does not make itself.
  std::unique_lock<std::mutex> calling() const;

 private:
  struct ended_call {
    std::unique_ptr<detail::operation> is;
    MPI_Status status;
    int code = MPI_SUCCESS;
  };
  std::size_t poll() override;
  void fail(std::exception_ptr why) noexcept override;
  bool may_never_end() const noexcept override { return !queued_count_.load() && !certain_.load(); }

  bool may_call() const noexcept { return level_ != thread_level::funneled || std::this_thread::get_id() == main_; }
  void check_open(const call_tags& tags) const;
  void put_off(std::unique_ptr<detail::operation> o, const call_tags& tags);
  void start_here(std::unique_ptr<detail::operation> o);
  void add(std::unique_ptr<detail::operation> o);
  void ask_turn();
  void take_turn();
  void start_queued();
  std::size_t progress();
  void test(std::vector<ended_call>& ended);
  void test_probes(std::vector<ended_call>& ended);
  void take(std::size_t i, const MPI_Status& s, int code, std::vector<ended_call>& ended);
  void finish(ended_call& e) noexcept;
  void cancel_receives() noexcept;
  void count(const detail::call& c) const;
  std::unique_lock<std::mutex> calling_unless_taken() const;
  std::unique_lock<std::mutex> arranging() {
    return arrays_ ? std::unique_lock(*arrays_) : std::unique_lock<std::mutex>();
  }

  // Set by begin.
  thread_level level_ = thread_level::serialized;
  std::uint32_t worker_ = 0;
  std::thread::id main_;
  std::mutex* calls_ = nullptr;   // serialized: mpi_mutex(), which guards the arrays too
  std::mutex* arrays_ = nullptr;  // multiple
  counted_calls counts_;
  future<void> done_;  // what calls return that end at once
  std::atomic<bool> open_{false};

  sequences order_;

  std::mutex array_mutex_;
  std::vector<MPI_Request> requests_;  // parallel to operations_
  std::vector<std::unique_ptr<detail::operation>> operations_, probes_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<ended_call> spare_;  // progress's memory
  std::atomic<std::size_t> certain_{
      0};  // of operations_ and those that progress ends: what MPI ends whatever others do

  // With funneled: what others want to start.
  std::mutex queue_mutex_;
  std::deque<std::unique_ptr<detail::operation>> queued_;
  std::atomic<std::size_t> queued_count_{0};
  std::atomic<bool> turn_asked_{false};
  std::atomic<std::uint64_t> turns_{0};
  std::uint64_t turns_seen_ = 0;  // poll's
};

}  // namespace stretto::mpi
