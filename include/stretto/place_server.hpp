// place_server.hpp - place servers: run the tasks at places that no worker serves, for modules with threads of their
// own.
//
//     class one_at_a_time : public place_server {  // runs the tasks at its place on one thread of the module
//      public:
//       void serve(served_task&& task, place) override {
//         const std::scoped_lock hold(mutex_);
//         waiting_.push_back(std::move(task));
//       }
//       void run_all() {  // the module's thread, which is attached to the runtime, calls it
//         std::unique_lock hold(mutex_);
//         std::vector<served_task> taken = std::exchange(waiting_, {});
//         hold.unlock();
//         for (served_task& task : taken) task.run();
//       }
//
//      private:
//       std::mutex mutex_;
//       std::vector<served_task> waiting_;
//     };
//
// Threads     the runtime calls serve on any of its threads, also within a poll. A served_task has one owner at a time.
// Cost        one indirect call and one atomic addition per served task; other tasks cost nothing.
// Invariants  (1) a served_task is run, given to the workers, or failed, exactly once. (2) until then its finish waits,
//             and so does the end of the runtime, before modules are finalised.
#pragma once

#include <stretto/event.hpp>
#include <stretto/place.hpp>

#include <exception>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
struct served_task_access;
}

/// A ready task for a place server. Move-only. Its destruction without a call fails the task with M07.
class served_task {
 public:
  served_task() noexcept = default;
  served_task(served_task&& other) noexcept;
  served_task& operator=(served_task&& other) noexcept;
  ~served_task();

  /// Whether it still holds a task.
  explicit operator bool() const noexcept { return task_; }

  /// Runs the task on this thread, which is attached to the runtime and no worker; a wait in the task blocks the
  /// thread. On a worker it does the same as to_workers().
  void run() noexcept;
  /// Lets any worker run the task, for servers that only decide when tasks run.
  void to_workers() noexcept;
  /// Ends the task without running it: its future is poisoned with `why`.
  void fail(std::exception_ptr why) noexcept;

 private:
  friend struct detail::served_task_access;
  completion* task_ = nullptr;
};

/// The base class of place servers. A module passes its server to module_host::claim.
class place_server {
 public:
  virtual ~place_server() = default;

  /// Called with each ready task at `where`. The server moves from `task`; it may run it inside the call on a thread
  /// that is no worker. An exception that it throws before moving from `task` poisons the task's future.
  virtual void serve(served_task&& task, place where) = 0;
};

}  // namespace stretto

STRETTO_API_END
