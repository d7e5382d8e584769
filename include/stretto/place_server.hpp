// place_server.hpp - who runs tasks at a place that no worker serves: a module with threads or limits of its own.
//
// Threads     serve: any thread of the runtime, also within a poll. A served_task: one owner at a time.
// Cost        handing a task over: one indirect call and one atomic addition; other tasks pay nothing.
// Invariants  (1) a served_task is run, given to the workers, or ended by a failure, exactly once. (2) until then the
//             finish around it waits, and the end of the runtime too, before modules are finalised.
#pragma once

#include <stretto/event.hpp>
#include <stretto/place.hpp>

#include <exception>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
struct served_task_access;
}

/// A ready task that a place server was given. Move-only; destroyed unused, it fails the task with M07.
class served_task {
 public:
  served_task() noexcept = default;
  served_task(served_task&& other) noexcept;
  served_task& operator=(served_task&& other) noexcept;
  ~served_task();

  explicit operator bool() const noexcept { return task_; }

  /// Runs it here, on a thread that is attached to the runtime and no worker: where the task waits, this thread
  /// blocks. On a worker as to_workers().
  void run() noexcept;
  /// The workers run it, wherever they find it: for servers that decide when, not who.
  void to_workers() noexcept;
  /// It will not run: its future is poisoned with `why`.
  void fail(std::exception_ptr why) noexcept;

 private:
  friend struct detail::served_task_access;
  completion* task_ = nullptr;
};

/// Runs the tasks at a place that no worker serves. Modules derive their own from it.
class place_server {
 public:
  virtual ~place_server() = default;

  /// Takes over, by moving from it, a task that is ready at `where`; it may run inside the call, if this is no worker.
  /// What is thrown before that is what the task's future gets.
  virtual void serve(served_task&& task, place where) = 0;
};

}  // namespace stretto

STRETTO_API_END
