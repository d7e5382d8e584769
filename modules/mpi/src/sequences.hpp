// sequences.hpp - the order of collective calls: on each communicator they start in the order in which they were
// called, also where one waits for preconditions and a later one does not.
//
// Threads     any.
// Cost        while no collective call waits: one load.
// Invariants  (1) a call starts once it is ready and all before it on its communicator have started. (2) after one that
//             was skipped, none starts on that communicator any more.
#pragma once

#include <stretto_mpi/call.hpp>

#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace stretto::mpi {

class sequences {
 public:
  using starter = std::function<void(std::unique_ptr<detail::operation>)>;
  enum class readiness { now, later };

  /// Whether calls may start without being put here.
  bool are_empty() const noexcept { return count_.load(std::memory_order_acquire) == 0; }
  /// A call in its turn. Of one that is ready `later`, `ready` or `skip` tells some time.
  void put(std::unique_ptr<detail::operation> o, readiness when, const starter& start);
  void ready(MPI_Comm comm, const detail::operation* o, const starter& start);
  void skip(MPI_Comm comm, const detail::operation* o, const std::exception_ptr& why);
  void forget(MPI_Comm comm);

 private:
  struct waiting {
    std::unique_ptr<detail::operation> is;  // null while it is being started
    bool is_ready = false;
  };
  struct sequence {
    std::deque<waiting> all;
    std::string skipped;  // a call that was; empty: none
    std::exception_ptr cause;
    bool is_starting = false;
  };

  void start_front(std::unique_lock<std::mutex>& lock, MPI_Comm comm, const starter& start);
  void drop_if_idle(MPI_Comm comm);

  std::atomic<std::size_t> count_{0};  // of all_
  std::mutex mutex_;
  std::map<MPI_Comm, sequence> all_;
};

}  // namespace stretto::mpi
